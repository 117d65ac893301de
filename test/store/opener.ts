/** Opens a store and prints its id: `node opener.ts URL`. It waits for its stdin to end first, so that many start at once. */
import { once } from 'node:events';
import { openPostgresStore } from '../../src/store/postgres.ts';

const store = openPostgresStore(process.argv[2] ?? '');
console.log('ready');
await once(process.stdin.resume(), 'end');
console.log(await store.identity());
await store.close();
