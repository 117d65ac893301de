/** A worker as a process of its own, of Reprise or bare: `node many-worker.ts own|bare ADDRESS HOME QUEUE`. */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createWorker } from '../src/worker.ts';
import { quietRuntime } from '../src/worker/quiet-runtime.ts';

const [kind = '', address = '', home = '', taskQueue = ''] = process.argv.slice(2);
quietRuntime();
const connection = await NativeConnection.connect({ address });
const worker =
  kind === 'own'
    ? await createWorker({
        connection,
        namespace: 'default',
        home,
        configFolder: home,
        variables: process.env,
        taskQueue,
      })
    : await Worker.create({
        connection,
        taskQueue,
        workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
        activities: { wait: (milliseconds: number) => pause(milliseconds) },
        maxConcurrentActivityTaskExecutions: 200,
        maxConcurrentWorkflowTaskExecutions: 40,
      });
process.on('message', (what) => {
  const { system, user } = process.cpuUsage();
  if (what === 'cpu') process.send?.(system + user);
  else worker.shutdown();
});
const ended = worker.run();
process.send?.('polling');
await ended;
process.exit(0);
