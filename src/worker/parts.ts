import { join } from 'node:path';
import type { InjectedSinks, NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/activities.ts';
import type { CustomOrchestrators } from '../config/extensions.ts';
import { readEnvironment } from '../config/environment.ts';
import { readPrices } from '../config/prices.ts';
import { modelOpener } from '../models/open-model.ts';
import type { RunSinks } from '../protocol/sinks.ts';
import { openStore } from '../store/open-store.ts';
import { openToolRegistry } from '../tools/tool-registry.ts';
import { logSink } from './log-sink.ts';
import { runWatch } from './run-watch.ts';

export interface PartSettings {
  /** Where the store and the log are (`REPRISE_HOME`). */
  home: string;
  /** Where configurations that are named in an input are found, and the user's own tools and orchestrators. */
  configFolder: string;
  /** The process's environment: keys and addresses of the providers. */
  variables: NodeJS.ProcessEnv;
}

/** What a worker needs besides the workflows, whoever makes it. */
export interface WorkerParts {
  activities: ReturnType<typeof createActivities>;
  sinks(connection: NativeConnection, namespace: string): InjectedSinks<RunSinks>;
  /** Runs the worker, and ends the servers of tools with it. */
  run(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void>;
}

/** @param orchestrators the custom orchestrators that the worker's bundle of workflows has */
export function openParts(
  { configFolder, home, variables }: PartSettings,
  orchestrators: CustomOrchestrators,
): WorkerParts {
  const environment = readEnvironment(variables);
  const store = openStore(home, environment);
  const tools = openToolRegistry({ folder: configFolder, logs: join(home, 'logs'), environment, store });
  return {
    activities: createActivities({
      store,
      tools,
      openModel: modelOpener(environment),
      environment,
      configFolder,
      orchestrators,
      prices: readPrices(environment),
    }),
    sinks: (connection, namespace) => ({ ...logSink(home), watch: runWatch(connection, namespace) }),
    async run(worker, next) {
      try {
        await next(worker);
      } finally {
        await tools.close();
      }
    },
  };
}

/** The live view reads heartbeats, and cancellation travels with them: the default would hold them back for 8 s. */
export const heartbeatThrottle = '500 ms';
