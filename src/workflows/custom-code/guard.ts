import { proxySinks, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import type { RunSinks } from '../../protocol/sinks.ts';

const { watch } = proxySinks<RunSinks>();

/** Whether the worker is told when code comes to rest; without that it would take all of it for endless. */
let isIntercepted = false;
/** Files whose work is under way: a team may have several. */
const files: string[] = [];
let instance: number | undefined;

/**
 * While work of this file is under way, tells the worker whenever its code gets to run and comes to rest again. Code
 * that never does cannot be ended from here: the sandbox cuts it, and the worker, which learns of it, ends the run.
 */
export async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  files.push(path);
  tell(path);
  try {
    return await work();
  } finally {
    files.splice(files.indexOf(path), 1);
  }
}

function tell(path: string): void {
  if (!isIntercepted) return;
  // Real time, since it is to be another one when the workflow is begun again.
  instance ??= workflowInfo().unsafe.now();
  watch.entered(path, instance);
}

/** For Temporal: bundled as an interceptor beside the workflows. */
export function interceptors(): WorkflowInterceptors {
  isIntercepted = true;
  return {
    internals: [
      {
        activate(input, next) {
          const file = files.at(-1);
          if (file !== undefined) tell(file);
          next(input);
        },
        concludeActivation(input, next) {
          if (instance !== undefined) watch.rested(files.length === 0);
          return next(input);
        },
      },
    ],
  };
}
