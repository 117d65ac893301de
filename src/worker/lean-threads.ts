import workerThreads, { type WorkerOptions } from 'node:worker_threads';
import { compiledFolder } from '../util/folders.ts';

/** Takes from a thread the means by which Temporal's SDK notes where each promise was made. */
const noStacks = "import v8 from 'node:v8'; v8.promiseHooks.createHook = () => () => {};";

/**
 * Limits in time only the first of the calls by which the SDK has a workflow take a step: the one in which the workflow's code
 * goes on. The SDK's vm module tells the calls apart by `__temporal_args`.
 */
const fewLimits = `
  import vm from 'node:vm';
  const { runInContext } = vm.Script.prototype;
  vm.Script.prototype.runInContext = function (context, options) {
    const call = context.__temporal_args;
    const isLimited = call === undefined || call[1] === 'activate';
    return runInContext.call(this, context, isLimited ? options : { ...options, timeout: undefined });
  };`;

/** The code by which whatever runs workflows does without both. @param hasOthersCode whether each call is to be limited all the same */
export const leanCode = (hasOthersCode: boolean): string => noStacks + (hasOthersCode ? '' : fewLimits);

/** A thread keeps what it compiles where its process does so; by itself Node has it do so for a variable alone. */
function cached(): string {
  const folder = compiledFolder();
  if (folder === undefined) return '';
  return `import { enableCompileCache } from 'node:module'; enableCompileCache(${JSON.stringify(folder)});`;
}

/**
 * Makes a worker whose workflow threads use its compile cache, and leave out two things for which the SDK has no options, and
 * which took a third of a worker's processor time.
 *
 * They do not note where each promise was made, which the SDK does for the query `__stack_trace`; the state and the events of a
 * run say what it waits for. And where a worker runs no code but Reprise's, they limit the time of one call into a workflow a
 * step, instead of five to eight: for each limit Node starts a thread and waits for its end, 0.2 ms to a millisecond.
 *
 * @param hasOthersCode whether there are custom orchestrators in the bundle, each of whose calls is to be limited
 * @param create calls `Worker.create`, which starts the threads
 */
export async function withLeanThreads<T>(hasOthersCode: boolean, create: () => Promise<T>): Promise<T> {
  const code = cached() + leanCode(hasOthersCode);
  const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
  const Thread = workerThreads.Worker;
  workerThreads.Worker = class extends Thread {
    constructor(file: string | URL, options?: WorkerOptions) {
      const isOfWorkflows = String(file).includes('workflow-worker-thread');
      super(file, isOfWorkflows ? { ...options, execArgv } : options);
    }
  };
  try {
    return await create();
  } finally {
    workerThreads.Worker = Thread;
  }
}
