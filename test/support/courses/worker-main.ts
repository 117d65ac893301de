/** A worker as a process of its own, to be killed: `node worker-main.ts ADDRESS HOME BUNDLE QUEUE`. Prints a line when it polls. */
import { NativeConnection } from '@temporalio/worker';
import { noOrchestrators } from '../../../src/config/extensions.ts';
import { createWorker } from '../../../src/worker.ts';
import { quietRuntime } from '../../../src/worker/quiet-runtime.ts';
import { everything } from '../guard.ts';

const [address = '', home = '', codePath = '', taskQueue = ''] = process.argv.slice(2);
quietRuntime();
const worker = await createWorker({
  connection: await NativeConnection.connect({ address }),
  namespace: 'default',
  home,
  configFolder: home,
  allow: everything,
  variables: process.env,
  bundle: { codePath, orchestrators: noOrchestrators },
  taskQueue,
});
const ended = worker.run();
console.log('polling');
await ended;
