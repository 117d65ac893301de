/**
 * A worker that has one command run in a container, as a process of its own: `node command-worker.ts IMAGE COMMAND`. It prints
 * what the command prints, and lives until it is killed.
 */
import { once } from 'node:events';
import { commandBench } from './command-bench.ts';

const [image = '', command = ''] = process.argv.slice(2);
const { bench, run } = commandBench(image);
await run(command, 600);
await bench.close();
await once(process.stdin.resume(), 'close');
