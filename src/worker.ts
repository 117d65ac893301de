import { Worker, type NativeConnection } from '@temporalio/worker';
import { heartbeatThrottle, openParts, type PartSettings } from './worker/parts.ts';
import { registerSearchAttributes } from './worker/search-attributes.ts';
import { keepWorkflowHeapsSmall } from './worker/small-heaps.ts';
import { workflowBundle, type WorkflowBundle } from './worker/workflow-bundle.ts';

export { ReprisePlugin, type PluginSettings } from './worker/plugin.ts';
export { MissingSearchAttributesError } from './worker/search-attributes.ts';

/** The task queue that runs are started on. */
export const taskQueue = 'reprise';

export interface WorkerSettings extends PartSettings {
  connection: NativeConnection;
  namespace: string;
  /** A ready bundle of the workflows; made or loaded when absent, with the custom orchestrators of `configFolder`. */
  bundle?: WorkflowBundle;
  taskQueue?: string;
  /** Called before the workflows are bundled, which takes seconds. */
  onBundling?: () => void;
}

/**
 * Makes a worker that is ready to run: store open, search attributes registered, workflows bundled.
 * `worker.run()` then polls until `worker.shutdown()`, which lets calls in flight finish.
 *
 * @throws `MissingSearchAttributesError` where they are missing and may not be registered: such a worker would hang every run
 */
export async function createWorker(settings: WorkerSettings): Promise<Worker> {
  const { configFolder, connection, home, namespace, onBundling } = settings;
  keepWorkflowHeapsSmall();
  await registerSearchAttributes(connection, namespace);
  const bundle = settings.bundle ?? (await workflowBundle(home, configFolder, onBundling));
  const parts = openParts(settings, bundle.orchestrators);
  return Worker.create({
    connection,
    namespace,
    taskQueue: settings.taskQueue ?? taskQueue,
    workflowBundle: { codePath: bundle.codePath },
    activities: parts.activities,
    sinks: parts.sinks(connection, namespace),
    plugins: [{ name: 'reprise.tools', runWorker: (worker, next) => parts.run(worker, next) }],
    maxHeartbeatThrottleInterval: heartbeatThrottle,
    maxConcurrentActivityTaskExecutions: 200,
    maxConcurrentWorkflowTaskExecutions: 40,
    shutdownGraceTime: '10 minutes',
  });
}
