import { join } from 'node:path';
import type { DataConverter } from '@temporalio/common';
import { Runtime, type InjectedSinks, type NativeConnection, type Worker } from '@temporalio/worker';
import { createActivities } from '../activities/activities.ts';
import { patient } from '../activities/patient-store.ts';
import type { KnownNamespace } from '../activities/prepare.ts';
import { defaultBackend } from '../config/complete-backend.ts';
import type { CustomOrchestrators } from '../config/extensions.ts';
import { readEnvironment } from '../config/environment.ts';
import { readPrices } from '../config/prices.ts';
import { dataConverterOf } from '../encryption/data-converter.ts';
import { readKeys, type Keys } from '../encryption/keys.ts';
import { modelOpener } from '../models/open-model.ts';
import type { RunSinks } from '../protocol/sinks.ts';
import { openStore } from '../store/open-store.ts';
import { checkStoreKeys } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';
import { loginsIn } from '../tools/mcp/logins.ts';
import { openToolRegistry } from '../tools/tool-registry.ts';
import { logSink, withoutContent } from './log-sink.ts';
import { watchLoopLag } from './loop-lag.ts';
import { runWatch } from './run-watch.ts';

export interface PartSettings {
  /** The folder of the store and of the log (`REPRISE_HOME`). */
  home: string;
  /** The folder of configurations that an input may name, and of the user's own tools and orchestrators. */
  configFolder: string;
  /** The environment variables, with the providers' keys and addresses. */
  variables: NodeJS.ProcessEnv;
}

/** What every worker needs besides the workflows. */
export interface WorkerParts {
  store: Store;
  activities: ReturnType<typeof createActivities>;
  /** The keys of the worker's variables. */
  keys: Keys;
  dataConverter: DataConverter;
  sinks(connection: NativeConnection, namespace: string): InjectedSinks<RunSinks>;
  /** Runs the worker, says when something holds it up, and ends the tools' servers after it. */
  run(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void>;
}

/**
 * Opens what a worker needs.
 *
 * @param orchestrators the custom orchestrators in the worker's bundle of workflows
 * @param namespace may be filled in until the worker polls
 */
export function openParts(
  { configFolder, home, variables }: PartSettings,
  orchestrators: CustomOrchestrators,
  namespace: KnownNamespace,
): WorkerParts {
  const environment = readEnvironment(variables);
  const keys = readKeys(environment);
  // A name that is wrong must end the worker now, or every run would fail by it again and again.
  defaultBackend(environment);
  const store = patient(openStore(home, environment));
  // What servers of tools print may be what runs are about.
  const logs = keys.on ? undefined : join(home, 'logs');
  const logins = loginsIn(home);
  const tools = openToolRegistry({ folder: configFolder, logs, logins, environment, store });
  return {
    store,
    keys,
    dataConverter: dataConverterOf(keys),
    activities: createActivities({
      store,
      tools,
      openModel: modelOpener(environment),
      environment,
      configFolder,
      // Search attributes are never encrypted.
      namespace: keys.on ? { hasQuestion: false } : namespace,
      orchestrators,
      prices: readPrices(environment),
    }),
    sinks: (connection, namespace) => ({
      ...(keys.on ? withoutContent(logSink(home)) : logSink(home)),
      watch: runWatch(connection, namespace, keys.on),
    }),
    async run(worker, next) {
      const warning = await checkStoreKeys(store, keys);
      if (warning !== undefined) Runtime.instance().logger.warn(warning);
      const stopWatching = watchLoopLag((text) => Runtime.instance().logger.warn(text));
      try {
        await next(worker);
      } finally {
        stopWatching();
        await tools.close();
        await store.close();
      }
    },
  };
}

/**
 * The longest time between two heartbeats of a call that reports progress. The live view reads heartbeats, and
 * cancellations come as their answers; Temporal's default would hold them back for 8 s.
 */
export const heartbeatThrottle = '500 ms';
