import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../embedded/cache-folder.ts';

// Only what is imported after this line is kept compiled from one command to the next, and that is nearly everything:
// a command then takes about two thirds of the processor time.
enableCompileCache(join(cacheFolder(), 'compiled'));
const { main } = await import('./run-program.ts');
process.exit(await main(process.argv.slice(2)));
