/**
 * A worker with a workflow of its own, in which `ReprisePlugin` also runs the workflows and activities of Reprise.
 *
 *   npx reprise up &                                  # a Temporal server, unless you have one
 *   npm run example examples/own-worker/worker.ts     # in a clone; elsewhere, from Node 22.18: node worker.ts
 *   temporal workflow execute --type triage --task-queue support --workflow-id t1 \
 *     --input '"How many attempts does an orchestration get by default?"'
 */
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { ReprisePlugin } from 'reprise/worker';

const connection = await NativeConnection.connect({
  address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233',
});
const worker = await Worker.create({
  connection,
  taskQueue: process.env['TASK_QUEUE'] ?? 'support',
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  plugins: [new ReprisePlugin({ home: process.env['REPRISE_HOME'] ?? '.reprise' })],
});
console.log('Ready.');
await worker.run();
await connection.close();
