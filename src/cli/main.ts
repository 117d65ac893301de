import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../util/cache-folder.ts';

// Only what is imported after this line is kept compiled from one command to the next, and that is nearly everything:
// a command then takes about two thirds of the processor time.
enableCompileCache(join(cacheFolder(), 'compiled'));
const { run } = await import('./run.ts');
const { env, stderr, stdin, stdout } = process;
process.exit(await run(process.argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd(), signals: process }));
