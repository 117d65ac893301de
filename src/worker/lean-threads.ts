import workerThreads, { type WorkerOptions } from 'node:worker_threads';

/** Takes from a thread the means by which Temporal's SDK notes where each promise was made. */
const lean = `data:text/javascript,${encodeURIComponent(
  "import v8 from 'node:v8'; v8.promiseHooks.createHook = () => () => {};",
)}`;

/**
 * Makes a worker whose workflow threads do not note where each promise was made. The SDK does so for the query
 * `__stack_trace`, the call stack of a waiting run in the Web UI, which is empty then; it has no option for it. That took a
 * fifth of a worker's processor time, and the state and the events of a run say what it waits for.
 *
 * @param create calls `Worker.create`, which starts the threads
 */
export async function withLeanThreads<T>(create: () => Promise<T>): Promise<T> {
  const Thread = workerThreads.Worker;
  workerThreads.Worker = class extends Thread {
    constructor(file: string | URL, options?: WorkerOptions) {
      const isOfWorkflows = String(file).includes('workflow-worker-thread');
      super(file, isOfWorkflows ? { ...options, execArgv: ['--import', lean] } : options);
    }
  };
  try {
    return await create();
  } finally {
    workerThreads.Worker = Thread;
  }
}
