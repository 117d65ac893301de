import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Runtime, type InjectedSinks, type NativeConnection, type Worker } from '@temporalio/worker';
import { createActivities } from '../activities/activities.ts';
import { isTrustedServer, mayHaveKeys } from '../activities/authorize.ts';
import { storeGuard } from '../activities/own-store.ts';
import { freeDiskCheck } from '../activities/free-disk.ts';
import { retrying } from '../activities/retrying-store.ts';
import type { KnownNamespace } from '../activities/prepare.ts';
import { defaultBackend } from '../config/models/complete-backend.ts';
import type { CustomOrchestrators } from '../config/extensions.ts';
import { readEnvironment, type Environment } from '../util/environment.ts';
import { readPrices } from '../config/models/prices.ts';
import { dataConverterOf } from '../encryption/codec.ts';
import { readKeys } from '../encryption/keys.ts';
import { modelOpener } from '../models/open-model.ts';
import type { RunSinks } from '../protocol/sinks.ts';
import { openRates } from '../models/rates/rates.ts';
import { checkStoreKeys, isOutOfOrder, openStore, storePlace } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { loginsIn } from '../tools/mcp/logins.ts';
import { openTelemetry } from '../telemetry/telemetry.ts';
import type { ToolRegistry } from '../tools/tool.ts';
import { openToolRegistry } from '../activities/tools/tool-registry.ts';
import { allowIn } from '../trust/allow.ts';
import { Guard } from '../trust/guard.ts';
import { logFormat, logSink, withoutContent } from './log-sink.ts';
import { watchLoopLag } from './loop-lag.ts';
import { runWatch } from './run-watch.ts';

export interface PartSettings {
  /** The folder of the store and of the log (`REPRISE_HOME`); by default `.reprise`. */
  home: string;
  /** Of what an input may name, and of the user's own tools and orchestrators; by default the working folder. */
  configFolder: string;
  /** The environment variables, with the providers' keys and addresses; by default the process's. */
  variables: NodeJS.ProcessEnv;
  /**
   * What inputs may bring that nobody has signed with the secret of `home`: `commands`, `modules`, `hosts=a,b:8000`,
   * `files=DIR` (docs/security.md). When absent, what `REPRISE_ALLOW` of the variables says, or else nothing.
   */
  allow?: readonly string[] | undefined;
}

export const withDefaults = ({
  allow,
  configFolder = '.',
  home = '.reprise',
  variables = process.env,
}: Partial<PartSettings>): PartSettings => ({
  allow,
  configFolder: resolve(configFolder),
  home: resolve(home),
  variables,
});

/** @param namespace may be filled in until the worker polls @throws `AllowError` for permissions that mean nothing */
export function openParts(
  { configFolder, home, variables, allow = allowIn(variables['REPRISE_ALLOW']) }: PartSettings,
  orchestrators: CustomOrchestrators,
  namespace: KnownNamespace,
) {
  const environment = readEnvironment(variables);
  const keys = readKeys(environment);
  // A name that is wrong must end the worker now, or every run would fail by it again and again.
  defaultBackend(environment);
  const format = logFormat(environment);
  const telemetry = openTelemetry(environment);
  const store = retrying(telemetry.timed(openStore(home, environment)));
  const guard = new Guard({ allow, configFolder, environment, home, secret: (name) => store.secret(name) });
  // What servers of tools print may be what runs are about.
  const logs = keys.on ? undefined : join(home, 'logs');
  const logins = loginsIn(home);
  const registry = { folder: configFolder, logs, environment, store };
  const tools = withForeign(
    openToolRegistry({ ...registry, logins }),
    openToolRegistry({ ...registry, environment: knownVariables(environment, guard) }),
  );
  const [openOwn, openForeign] = [modelOpener(environment), modelOpener({})];
  const activities = createActivities({
    store,
    tools,
    guard,
    openModel: (backend) => (mayHaveKeys(backend, guard) ? openOwn : openForeign)(backend),
    rates: openRates(store.rates, environment),
    assertFreeDisk: freeDiskCheck([home, tmpdir()], environment),
    environment,
    configFolder,
    // Search attributes are never encrypted.
    namespace: keys.on ? { hasQuestion: false } : namespace,
    orchestrators,
    prices: readPrices(environment),
  });
  return {
    store,
    keys,
    dataConverter: dataConverterOf(keys),
    activities,
    /** Of its activities: for traces and metrics, and to refuse runs of other stores. */
    interceptors: [
      storeGuard(store, storePlace(home, environment)),
      ...telemetry.interceptors(Object.keys(activities)),
    ],
    /** Notes in the store whose runs use it. */
    join: (connection: NativeConnection, name: string) => joinNamespace(store, connection, name),
    sinks: (connection: NativeConnection, name: string): InjectedSinks<RunSinks> => ({
      ...(keys.on ? withoutContent(logSink(home, format)) : logSink(home, format)),
      ...telemetry.sinks,
      watch: runWatch(connection, name, keys.on),
    }),
    /** Runs the worker, says when something holds it up, and ends the tools' servers and the export of telemetry after it. */
    async run(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
      const warning = await checkStoreKeys(store, keys);
      if (warning !== undefined) warn(warning);
      const stopTelemetry = await telemetry.start(worker.connection, worker.options.namespace);
      const stopWatching = watchLoopLag(warn);
      try {
        await next(worker);
      } finally {
        stopWatching();
        await tools.close();
        await store.close();
        await stopTelemetry();
      }
    },
  };
}

export type WorkerParts = ReturnType<typeof openParts>;

/** Says something in the worker's log. */
export const warn = (text: string): void => Runtime.instance().logger.warn(text);

/** How long to wait for a store that is out of order, in milliseconds. */
const retryEveryMs = 5000;

/** Writes into the store that runs of a namespace use it, so that `prune` never takes them for gone. */
async function joinNamespace(store: Store, connection: NativeConnection, namespace: string): Promise<void> {
  try {
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace });
    if (namespaceInfo?.id) await store.joinNamespace(namespaceInfo.id, namespace);
  } catch (error) {
    if (isOutOfOrder(error)) setTimeout(() => void joinNamespace(store, connection, namespace), retryEveryMs).unref();
    else
      warn(`The store cannot note the namespace ${namespace}, which prune needs to know: ${(error as Error).message}`);
  }
}

/** Tools of MCP servers that only the worker's permissions let in come from a registry without the worker's logins. */
const withForeign = (own: ToolRegistry, foreign: ToolRegistry): ToolRegistry => ({
  ...own,
  tools: (source) => ('mcp' in source && !isTrustedServer(source.mcp) ? foreign : own).tools(source),
  async close() {
    await Promise.all([own.close(), foreign.close()]);
  },
});

const knownVariables = (environment: Environment, { policy }: Guard): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => policy.isKnownVariable(name)));

/** How often a call reports progress: the live view reads heartbeats, and cancellations come as their answers. */
export const heartbeatThrottle = '500 ms';
