import type { Worker } from '@temporalio/worker';
import { createWorker, type WorkerSettings } from '../worker.ts';
import { untilRegistered, workerIdentity } from '../worker/deployment.ts';
import type { WorkerRecord } from './workers.ts';

/** How a worker ends: `drain` lets all its calls in flight finish. */
export type ShutdownMode = 'stop' | 'drain';

/** How long `stop` waits for calls in flight, in milliseconds. */
const graceMs = 5000;

/** What a worker of this process needs besides what it runs with. */
export type HomeWorkerSettings = Required<Pick<WorkerSettings, 'connection' | 'home' | 'variables'>> & ServiceSettings;

/** How a worker behaves toward whatever starts and ends it, such as Kubernetes. */
export type ServiceSettings = Pick<WorkerSettings, 'health' | 'shutdownGraceTime' | 'slots'>;

/** A worker for the runs of one version. */
export class HomeWorker {
  readonly #worker: Worker;
  /** Settles when the worker has ended. */
  readonly done: Promise<void>;

  /** Starts a worker and waits until runs can be pinned to it. */
  static async start(record: WorkerRecord, { connection, ...others }: HomeWorkerSettings): Promise<HomeWorker> {
    const { allow, behavior, buildId, codePath, extensions, isVersioned, namespace, orchestrators } = record;
    const worker = await createWorker({
      connection,
      namespace,
      ...others,
      configFolder: extensions,
      allow,
      bundle: { codePath, orchestrators },
      identity: workerIdentity(record.isOwn),
      ...(isVersioned && { version: { buildId, behavior } }),
    });
    const started = new HomeWorker(worker);
    if (isVersioned) {
      const hasEnded = (): boolean => worker.getState() !== 'RUNNING';
      await untilRegistered(connection.workflowService, namespace, buildId, hasEnded);
    }
    return started;
  }

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.done = worker.run();
    // Whoever waits for the end is told; until then a failure must not end the process.
    this.done.catch(() => {});
  }

  async end(ending: ShutdownMode): Promise<void> {
    if (this.#worker.getState() === 'RUNNING') this.#worker.shutdown();
    const ended = this.done.catch(() => {});
    if (ending === 'drain') return ended;
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, graceMs))]);
  }
}
