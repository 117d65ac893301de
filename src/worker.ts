import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time.js';
import { startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { operation, service, serviceHandler } from 'nexus-rpc';
import { deploymentName, taskQueue } from './client/names.ts';
import { workflowTypes } from './protocol/definitions.ts';
import { encryptsGlobal } from './protocol/headers.ts';
import { hashOf } from './util/ids.ts';
import { awaitStore } from './worker/await-store.ts';
import { withLeanThreads } from './worker/lean-threads.ts';
import { heartbeatThrottle, openParts, warn, withDefaults, type PartSettings } from './worker/parts.ts';
import { openHealth, type Health, type HealthSettings } from './worker/health.ts';
import { identityWith, othersWithOtherStores, workerIdentity } from './worker/deployment.ts';
import { registerSearchAttributes } from './worker/search-attributes.ts';
import { readSlots, slotOptions, type Slots } from './worker/slots.ts';
import { workflowBundle, type WorkflowBundle } from './worker/workflow-bundle.ts';

export { taskQueue } from './client/names.ts';
export { StoreUnavailableError } from './worker/await-store.ts';
export { ReprisePlugin, type PluginSettings } from './worker/plugin.ts';
export type { HealthSettings } from './worker/health.ts';
export { MissingSearchAttributesError } from './worker/search-attributes.ts';
export type { FixedSlots, ResourceSlots, Slots } from './worker/slots.ts';

export interface VersionSettings {
  buildId: string;
  /** Whether a run stays with workers of the version that began it, or goes on with the version that is current. */
  behavior: 'PINNED' | 'AUTO_UPGRADE';
}

export interface WorkerSettings extends Partial<PartSettings> {
  connection: NativeConnection;
  /** `default` when absent. */
  namespace?: string;
  /** A bundle of the workflows; when absent, one is made or loaded, with the custom orchestrators of `configFolder`. */
  bundle?: Omit<WorkflowBundle, 'hash'>;
  /** Its version for Temporal's Worker Versioning; when absent, the worker takes no part in that. */
  version?: VersionSettings;
  /** The name under which Temporal lists the worker, beside the id of its store; when absent, Temporal's own. */
  identity?: string;
  /** The task queue to poll; `reprise` when absent. */
  taskQueue?: string;
  /** How many tasks it takes at once; what `REPRISE_SLOTS` says when absent, else 40 workflow tasks and 200 activities. */
  slots?: Slots;
  /** How many runs stay in its memory between their tasks; absent: as many as Temporal's SDK finds right. With 0 each task replays. */
  cachedRuns?: number;
  /** Where it answers whether it is alive and ready, over HTTP; nowhere when absent. */
  health?: HealthSettings;
  /** How long calls in flight may go on when it is shut down; 10 minutes when absent. Then another worker makes them again. */
  shutdownGraceTime?: Duration;
  /** Is called before the workflows are bundled, which takes seconds. */
  onBundling?: () => void;
}

/**
 * Makes a worker that is ready to run, with its store open, search attributes registered and workflows bundled.
 * `worker.run()` then polls until `worker.shutdown()` is called, which lets calls in flight finish.
 *
 * @throws `MissingSearchAttributesError` where search attributes are missing and may not be registered from here: on such
 *   a worker, no run would get on; `StoreUnavailableError` where the store cannot be used within a minute; `Error` where
 *   `REPRISE_SLOTS` or `REPRISE_RATES` is wrong, or the port for its health is taken
 */
export async function createWorker(settings: WorkerSettings): Promise<Worker> {
  // Limits the young generation of the workflow threads' heaps, in megabytes: V8 would let garbage from starting runs pile up, and
  // 200 waiting ones took 171 MB instead of 140 (bench/asking.ts). The threads take the flags that are set before they are made.
  setFlagsFromString('--max-semi-space-size=2');
  const health = settings.health && (await openHealth(settings.health));
  try {
    const { namespace = 'default' } = settings;
    return await workerWith({ ...settings, ...withDefaults(settings), namespace }, health);
  } catch (error) {
    health?.close();
    throw error;
  }
}

async function workerWith(
  settings: WorkerSettings & PartSettings & { namespace: string },
  health: Health | undefined,
): Promise<Worker> {
  const { configFolder, connection, home, namespace, onBundling, variables } = settings;
  const slots = settings.slots ?? (variables['REPRISE_SLOTS'] ? readSlots(variables['REPRISE_SLOTS']) : undefined);
  const known = await registerSearchAttributes(connection, namespace);
  const bundle = settings.bundle ?? (await workflowBundle(home, configFolder, onBundling));
  const parts = openParts(settings, bundle.orchestrators, known);
  await awaitStore(parts.store);
  const identity = identityWith(settings.identity ?? workerIdentity(false), await parts.store.identity());
  const queue = settings.taskQueue ?? taskQueue;
  const others = await othersWithOtherStores(connection.workflowService, namespace, queue, identity);
  if (others.length > 0) {
    warn(
      `Other workers of the task queue ${queue} have another store: ${others.join(', ')}. Runs that they have begun are ` +
        `refused here, and those begun here are refused there. Give all of them the same DATABASE_URL`,
    );
  }
  await parts.join(connection, namespace);
  const graceMs = msToNumber(settings.shutdownGraceTime ?? '10 minutes');
  const options: WorkerOptions = {
    connection,
    namespace,
    taskQueue: queue,
    identity,
    ...(settings.version && {
      workerDeploymentOptions: {
        useWorkerVersioning: true,
        version: { deploymentName, buildId: settings.version.buildId },
        defaultVersioningBehavior: settings.version.behavior,
      },
    }),
    workflowBundle: parts.keys.on ? encryptingBundle(bundle.codePath) : { codePath: bundle.codePath },
    dataConverter: parts.dataConverter,
    activities: parts.activities,
    ...(await nexusOptions(connection)),
    interceptors: { activity: parts.interceptors },
    sinks: parts.sinks(connection, namespace),
    plugins: [
      {
        name: 'reprise.tools',
        async runWorker(running, next) {
          await parts.run(running, next);
          // Where it fails, its health goes on to say so for as long as the process lives.
          health?.close();
        },
      },
    ],
    maxHeartbeatThrottleInterval: heartbeatThrottle,
    ...slotOptions(slots),
    ...(settings.cachedRuns !== undefined && { maxCachedWorkflows: settings.cachedRuns }),
    shutdownGraceTime: graceMs,
    // Work that does not heed its cancellation must not keep the process for ever.
    shutdownForceTime: graceMs + 30_000,
  };
  const hasOthersCode = bundle.orchestrators.names.length > 0;
  const worker = await withLeanThreads(hasOthersCode, () => Worker.create(options));
  health?.watch({ worker, connection, namespace, store: parts.store });
  return worker;
}

/** The same bundle with the word that it is to encrypt failures, which it could not find out by itself. */
function encryptingBundle(codePath: string): { code: string } {
  // In the first line, so that the lines of stack traces stay as they are.
  return { code: `globalThis.${encryptsGlobal} = true; ${readFileSync(codePath, 'utf8')}` };
}

/**
 * The Nexus service `reprise`, by which workflows of other namespaces start runs: an operation for each workflow type, with its
 * input and its result.
 */
async function nexusOptions({ workflowService }: NativeConnection): Promise<Partial<WorkerOptions>> {
  const { capabilities } = await workflowService.getSystemInfo({});
  if (!capabilities?.nexus) return {};
  const operations = Object.fromEntries(workflowTypes.map((type) => [type, operation<object, unknown>()]));
  const handlers = Object.fromEntries(
    workflowTypes.map((type) => [
      type,
      new WorkflowRunOperationHandler<object, unknown>((context, input) =>
        // The request's id stays when it is sent again, and so does the run's.
        startWorkflow(context, type, { workflowId: `nexus-${hashOf(context.requestId).slice(0, 24)}`, args: [input] }),
      ),
    ]),
  );
  return {
    nexusServices: [serviceHandler(service('reprise', operations), handlers)],
    // Starting a run is quick.
    nexusTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
  };
}
