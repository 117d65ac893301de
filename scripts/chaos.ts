/**
 * Kills, freezes, starves and misleads workers, server and store while runs of all kinds go on, and tells whether any promise
 * was broken: `npm run chaos -- --minutes 10 --seed 1`. The exit status is 1 where one was.
 */
import { parseArgs } from 'node:util';
import { findTemporalCli } from '../src/embedded/temporal-cli.ts';
import { chaos } from './chaos/chaos.ts';
import { isKept } from './chaos/verdict.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    'runs-at-once': { type: 'string', default: '12' },
    workers: { type: 'string', default: '2' },
  },
});
const cli = await findTemporalCli(console.error);
console.log(`seed ${values.seed}`);
const { lines, verdict } = await chaos({
  minutes: Number(values.minutes),
  seed: Number(values.seed),
  runsAtOnce: Number(values['runs-at-once']),
  workers: Number(values.workers),
  cli,
  say: console.error,
});
for (const line of lines) console.log(line);
process.exit(isKept(verdict) ? 0 : 1);
