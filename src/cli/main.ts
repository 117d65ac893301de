import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../util/folders.ts';
import { useProxy } from '../util/proxy.ts';

// Only what is imported after this line is kept compiled from one command to the next, and that is nearly everything:
// a command then takes about two thirds of the processor time.
enableCompileCache(join(cacheFolder(), 'compiled'));
const { run } = await import('./run.ts');
const { env, stderr, stdin, stdout } = process;
try {
  useProxy(env);
} catch (error) {
  stderr.write(`${(error as Error).message}\n`);
  process.exit(2);
}
for (const output of [stdout, stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read it has gone, as `head` does. Programs then end without a word, with the status of SIGPIPE.
    if (error.code === 'EPIPE') process.exit(141);
    throw error;
  });
process.exit(await run(process.argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd(), signals: process }));
