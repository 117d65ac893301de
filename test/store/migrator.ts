/** Opens a store and prints its id: `node migrator.ts URL`. It waits for its stdin to end first, so that many start at once. */
import { openPostgresStore } from '../../src/store/postgres.ts';

const store = openPostgresStore(process.argv[2] ?? '');
console.log('ready');
process.stdin.resume().on('end', async () => {
  console.log(await store.identity());
  await store.close();
});
