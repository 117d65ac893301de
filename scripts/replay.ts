/**
 * Checks that a replay is what happened: `npm run replay -- --runs 1000 --seed 1 --times 10`. The part `killed` kills server
 * and workers of ordinary runs while answers are written; the part `generated` has runs of all kinds, made up by dice and
 * disturbed by messages, and replays each of them. The exit status is 1 where any run deviates.
 *
 *   --part killed | generated   one part alone
 *   --times N                   how often twelve runs are killed (10)
 *   --runs N                    how many runs are generated (1000)
 *   --at-once N                 how many of them run at a time with each kind of worker (6)
 *   --seed N                    repeats what a seed has given
 *   --only K                    one generated run alone
 */
import { parseArgs } from 'node:util';
import { generatedRuns } from './replay/generated.ts';
import { killedRuns } from './replay/killed.ts';
import { startPlace } from './replay/place.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string' },
    times: { type: 'string', default: '10' },
    runs: { type: 'string', default: '1000' },
    'at-once': { type: 'string', default: '6' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    only: { type: 'string' },
  },
});
const { part, only } = values;
const parts = ['killed', 'generated'];
if (part !== undefined && !parts.includes(part)) throw new Error(`--part is ${part}; it may be ${parts.join(' or ')}`);
const seed = Number(values.seed);
console.log(`seed ${seed}`);
const wanted = {
  seed,
  runs: Number(values.runs),
  atOnce: Number(values['at-once']),
  only: only === undefined ? undefined : Number(only),
};
let isGood = true;
{
  await using place = await startPlace();
  if (part !== 'generated' && only === undefined) isGood = await killedRuns(place, seed, Number(values.times));
  if (part !== 'killed') isGood = (await generatedRuns(place, wanted)) && isGood;
}
process.exit(isGood ? 0 : 1);
