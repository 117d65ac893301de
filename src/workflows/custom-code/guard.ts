import { proxySinks, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import type { RunSinks } from '../../protocol/sinks.ts';
import { perRun } from '../runtime/per-run.ts';

const { watch } = proxySinks<RunSinks>();

const own = perRun(() => ({
  /** Whether the interceptors are in use. Without them the worker would never learn that code has come to rest. */
  isIntercepted: false,
  /** The files whose work is under way; in a team there may be several. */
  files: [] as string[],
  /** When this run was begun, or begun again, in this worker's memory. */
  instance: undefined as number | undefined,
}));

/**
 * Tells the worker whenever a file's code begins to run and comes to rest. Code that never comes to rest cannot be ended
 * from here: the sandbox aborts it, and the worker then ends the run.
 */
export async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  const { files } = own();
  files.push(path);
  tell(path);
  try {
    return await work();
  } finally {
    files.splice(files.indexOf(path), 1);
  }
}

function tell(path: string): void {
  const run = own();
  if (!run.isIntercepted) return;
  // The real time differs whenever the workflow is started again in memory; the workflow's own time would not.
  run.instance ??= workflowInfo().unsafe.now();
  watch.entered(path, run.instance);
}

/** Temporal calls this for each workflow, since the worker bundles the module as an interceptor. */
export function interceptors(): WorkflowInterceptors {
  const run = own();
  run.isIntercepted = true;
  return {
    internals: [
      {
        activate(input, next) {
          const file = run.files.at(-1);
          if (file !== undefined) tell(file);
          next(input);
        },
        concludeActivation(input, next) {
          if (run.instance !== undefined) watch.rested(run.files.length === 0);
          return next(input);
        },
      },
    ],
  };
}
