/**
 * Kills, freezes, starves and misleads workers, server and store while runs of all kinds go on, and tells whether any promise
 * was broken: `npm run chaos -- --minutes 10 --seed 1`. Without `--store`, each store has half of the time. The exit status
 * is 1 where a promise was broken.
 */
import { parseArgs } from 'node:util';
import { findTemporalCli } from '../src/local/temporal-cli.ts';
import { hasPostgres } from '../test/support/postgres.ts';
import { chaos, stores } from './chaos/chaos.ts';
import { isKept } from './chaos/verdict.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    store: { type: 'string' },
    'runs-at-once': { type: 'string', default: '12' },
    workers: { type: 'string', default: '2' },
  },
});
const chosen = stores.filter((store) => values.store === undefined || values.store === store);
if (chosen.length === 0) throw new Error(`--store is ${values.store}; it may be ${stores.join(' or ')}`);
const cli = await findTemporalCli(console.error);
console.log(`seed ${values.seed}`);
let isBroken = false;
for (const store of chosen) {
  if (store === 'postgres' && !hasPostgres('chaos on PostgreSQL')) {
    isBroken = true;
    continue;
  }
  const { lines, verdict } = await chaos({
    minutes: Number(values.minutes) / chosen.length,
    seed: Number(values.seed),
    runsAtOnce: Number(values['runs-at-once']),
    workers: Number(values.workers),
    store,
    cli,
    say: console.error,
  });
  for (const line of [`store ${store}`, ...lines]) console.log(line);
  isBroken ||= !isKept(verdict);
}
process.exit(isBroken ? 1 : 0);
