/**
 * Disturbs a cluster while runs of all kinds go on and its workers are upgraded, and tells whether any promise was broken:
 * `npm run test:cluster -- --minutes 5 --seed 1`. The exit status is 1 where one was, or where the ten workers that start at
 * once leave another number of schemas than one.
 */
import { parseArgs } from 'node:util';
import { isKept } from './chaos/verdict.ts';
import { cluster } from './cluster/cluster.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    'runs-at-once': { type: 'string', default: '8' },
  },
});
console.log(`seed ${values.seed}`);
const { lines, schemas, verdict } = await cluster({
  minutes: Number(values.minutes),
  seed: Number(values.seed),
  runsAtOnce: Number(values['runs-at-once']),
  say: console.error,
});
for (const line of lines) console.log(line);
process.exit(isKept(verdict) && schemas === 1 ? 0 : 1);
