import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Runtime,
  type ActivityInterceptorsFactory,
  type InjectedSinks,
  type NativeConnection,
  type Worker,
} from '@temporalio/worker';
import { createActivities } from '../activities/activities.ts';
import { storeGuard } from '../activities/own-store.ts';
import { roomIn } from '../activities/room.ts';
import { patient } from '../activities/patient-store.ts';
import type { KnownNamespace } from '../activities/prepare.ts';
import { defaultBackend } from '../config/complete-backend.ts';
import type { CustomOrchestrators } from '../config/extensions.ts';
import { readEnvironment } from '../config/environment.ts';
import { readPrices } from '../config/prices.ts';
import { modelOpener } from '../models/open-model.ts';
import type { RunSinks } from '../protocol/sinks.ts';
import { openRates } from '../rates/rates.ts';
import { openStore, storePlace } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { loginsIn } from '../tools/mcp/logins.ts';
import { openToolRegistry } from '../tools/tool-registry.ts';
import { joinNamespace } from './join-namespace.ts';
import { logFormat } from './log-format.ts';
import { logSink } from './log-sink.ts';
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
  /** Interceptors of its activities. */
  interceptors: ActivityInterceptorsFactory[];
  /** Notes in the store whose runs use it. */
  join(connection: NativeConnection, namespace: string): Promise<void>;
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
  // A name that is wrong must end the worker now, or every run would fail by it again and again.
  defaultBackend(environment);
  const format = logFormat(environment);
  const store = patient(openStore(home, environment));
  const [logs, logins] = [join(home, 'logs'), loginsIn(home)];
  const tools = openToolRegistry({ folder: configFolder, logs, logins, environment, store });
  return {
    store,
    activities: createActivities({
      store,
      tools,
      openModel: modelOpener(environment),
      rates: openRates(store.rates, environment),
      assertRoom: roomIn([home, tmpdir()], environment),
      environment,
      configFolder,
      namespace,
      orchestrators,
      prices: readPrices(environment),
    }),
    interceptors: [storeGuard(store, storePlace(home, environment))],
    join: (connection, namespace) =>
      joinNamespace(store, connection, namespace, (text) => Runtime.instance().logger.warn(text)),
    sinks: (connection, namespace) => ({ ...logSink(home, format), watch: runWatch(connection, namespace) }),
    async run(worker, next) {
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
