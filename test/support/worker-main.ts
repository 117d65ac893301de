/** A worker as a process of its own: `node worker-main.ts ADDRESS HOME BUNDLE [CONFIG]`. Prints a line when it polls. */
import { NativeConnection } from '@temporalio/worker';
import { noOrchestrators } from '../../src/config/extensions.ts';
import { createWorker } from '../../src/worker.ts';
import { quietRuntime } from '../../src/worker/quiet-runtime.ts';
import { everything } from './guard.ts';

const [address = '', home = '', codePath = '', configFolder = home] = process.argv.slice(2);
quietRuntime();
const worker = await createWorker({
  connection: await NativeConnection.connect({ address, grpcCompression: { codec: 'none' } }),
  namespace: 'default',
  home,
  configFolder,
  allow: everything,
  variables: process.env,
  bundle: { codePath, orchestrators: noOrchestrators },
});
const ended = worker.run();
console.log('polling');
await ended;
