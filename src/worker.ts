import { join } from 'node:path';
import { NativeConnection, Worker, type WorkerPlugin } from '@temporalio/worker';
import { createActivities } from './activities/activities.ts';
import { readEnvironment } from './config/environment.ts';
import { modelOpener } from './models/open-model.ts';
import { readPrices } from './config/read-prices.ts';
import { logSink } from './worker/log-sink.ts';
import { openStore } from './store/open-store.ts';
import { keepWorkflowHeapsSmall } from './worker/small-heaps.ts';
import type { ToolRegistry } from './tools/tool.ts';
import { openToolRegistry } from './tools/tool-registry.ts';
import { registerSearchAttributes } from './worker/search-attributes.ts';
import { runWatch } from './worker/run-watch.ts';
import { workflowBundle, type WorkflowBundle } from './worker/workflow-bundle.ts';

/** The task queue that runs are started on. */
export const taskQueue = 'reprise';

export interface WorkerSettings {
  connection: NativeConnection;
  namespace: string;
  /** Where the store and the log are (`REPRISE_HOME`). */
  home: string;
  /** Where configurations that are named in an input are found, and the user's own tools and orchestrators. */
  configFolder: string;
  /** The process's environment: keys and addresses of the providers. */
  variables: NodeJS.ProcessEnv;
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
  const { connection, namespace, home, configFolder } = settings;
  keepWorkflowHeapsSmall();
  const environment = readEnvironment(settings.variables);
  await registerSearchAttributes(connection, namespace);
  const bundle = settings.bundle ?? (await workflowBundle(home, configFolder, settings.onBundling));
  const store = openStore(home, environment);
  const tools = openToolRegistry({ folder: configFolder, logs: join(home, 'logs'), environment, store });
  return Worker.create({
    connection,
    namespace,
    taskQueue: settings.taskQueue ?? taskQueue,
    workflowBundle: { codePath: bundle.codePath },
    activities: createActivities({
      store,
      tools,
      openModel: modelOpener(environment),
      environment,
      configFolder,
      orchestrators: bundle.orchestrators,
      prices: readPrices(environment),
    }),
    sinks: { ...logSink(home), watch: runWatch(connection, namespace) },
    plugins: [closingTools(tools)],
    // The live view reads heartbeats, and cancellation travels with them: the default would hold them back for 8 s.
    maxHeartbeatThrottleInterval: '500 ms',
    maxConcurrentActivityTaskExecutions: 200,
    maxConcurrentWorkflowTaskExecutions: 40,
    shutdownGraceTime: '10 minutes',
  });
}

/** Ends the servers of tools with the worker that started them. */
function closingTools(tools: ToolRegistry): WorkerPlugin {
  return {
    name: 'reprise.tools',
    async runWorker(worker, next) {
      try {
        await next(worker);
      } finally {
        await tools.close();
      }
    },
  };
}
