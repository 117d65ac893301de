/**
 * Runs docker-compose.yml as the documentation says, with a real engine, and tells whether its promises are kept: `npm run
 * test:containers`. No image is pulled: stand-ins are made of Debian's packages, of npm's and of Go modules. It prints a
 * table, and the exit status is 1 where anything is not as it must be.
 */
import { attackByCommands } from './containers/command-attacks.ts';
import { course } from './containers/courses.ts';
import { openEngine } from './containers/engine.ts';
import { startCountingModel } from './containers/model.ts';
import { docker } from './containers/programs.ts';
import { makeStack } from './containers/stack.ts';
import { commandImage } from './containers/stand-ins.ts';
import { Table } from './containers/table.ts';
import { attackFromWorker } from './containers/worker-attacks.ts';

const say = console.error;
const table = new Table(say);

/** Does work, and then cleans up, also where this process is told to end. */
async function cleanedUp(work: Promise<unknown>, cleanUp: () => Promise<void>): Promise<void> {
  const interrupted = Promise.withResolvers<never>();
  const stop = (): void => interrupted.reject(new Error('interrupted'));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop);
  try {
    await Promise.race([work, interrupted.promise]);
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop);
    await cleanUp();
  }
}

/** The address of this machine that containers reach. An engine that has just made its network does not tell it: the first one. */
async function hostAddress(): Promise<string> {
  const either = '{{with index .IPAM.Config 0}}{{or .Gateway .Subnet}}{{end}}';
  const told = await docker('network', 'inspect', 'bridge', '--format', either);
  return told.replace(/\d+\/\d+$/, '1');
}

async function withStack(): Promise<void> {
  const model = await startCountingModel(await hostAddress());
  try {
    const stack = await makeStack({ OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.url }, say);
    const work = async (): Promise<void> => {
      await course(stack, model, table);
      await attackFromWorker(stack, table);
    };
    await cleanedUp(work(), () => stack.remove());
  } finally {
    await model.close();
  }
}

try {
  const engine = await openEngine(say);
  try {
    const image = await commandImage(say);
    await withStack();
    await attackByCommands(image, engine, table);
  } finally {
    await engine.close();
  }
} catch (error) {
  say((error as Error).message);
  process.exitCode = 1;
}
if (table.rows.length > 0) console.log(table.text());
// What was interrupted may still wait for something.
process.exit(table.isKept && process.exitCode === undefined ? 0 : 1);
