/** A worker as a process of its own, which tells its resident memory in bytes: `node held-worker.ts ADDRESS HOME QUEUE`. */
import { NativeConnection } from '@temporalio/worker';
import { createWorker } from '../src/worker.ts';
import { quietRuntime } from '../src/worker/quiet-runtime.ts';

const [address = '', home = '', taskQueue = ''] = process.argv.slice(2);
quietRuntime();
const worker = await createWorker({
  connection: await NativeConnection.connect({ address }),
  namespace: 'default',
  home,
  configFolder: home,
  allow: ['files=/'],
  variables: process.env,
  taskQueue,
});
process.on('message', () => {
  global.gc?.();
  process.send?.(process.memoryUsage().rss);
});
const ended = worker.run();
process.send?.('polling');
await ended;
