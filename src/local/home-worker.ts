import { setTimeout as pause } from 'node:timers/promises';
import { createWorker, type WorkerSettings } from '../worker.ts';
import { untilRegistered, workerIdentity } from '../worker/deployment.ts';
import type { WorkerRecord } from './workers.ts';

/** How a worker ends: `drain` lets all its calls in flight finish. */
export type ShutdownMode = 'stop' | 'drain';

/** How long `stop` waits for calls in flight, in milliseconds. */
const graceMs = 5000;

export type HomeWorkerSettings = Required<Pick<WorkerSettings, 'connection' | 'home' | 'variables'>> & ServiceSettings;

/** How a worker behaves toward whatever starts and ends it, such as Kubernetes. */
export type ServiceSettings = Pick<WorkerSettings, 'health' | 'shutdownGraceTime' | 'slots'>;

export interface HomeWorker {
  /** Settles when the worker has ended. */
  done: Promise<void>;
  end(ending: ShutdownMode): Promise<void>;
}

/** Starts a worker and waits until runs can be pinned to it. */
export async function startHomeWorker(
  record: WorkerRecord,
  { connection, ...others }: HomeWorkerSettings,
): Promise<HomeWorker> {
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
  const isRunning = (): boolean => worker.getState() === 'RUNNING';
  const done = worker.run();
  let isOver = false;
  // Whoever waits for the end is told; until then a failure must not end the process.
  const ended = done.catch(() => {}).then(() => void (isOver = true));
  if (isVersioned) await untilRegistered(connection.workflowService, namespace, buildId, () => isOver);
  if (isOver) await done;
  return {
    done,
    async end(ending) {
      if (isRunning()) worker.shutdown();
      await Promise.race([ended, ...(ending === 'stop' ? [pause(graceMs)] : [])]);
    },
  };
}
