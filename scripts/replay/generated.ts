import { Dice } from '../../test/support/dice.ts';
import { race } from '../../test/support/courses/race.ts';
import { courseScript } from '../../test/support/courses/replies.ts';
import { modes, Track, type Mode } from '../../test/support/courses/track.ts';
import { startModelServer } from '../../test/support/model-server.ts';
import type { Place } from './place.ts';

export interface Generated {
  seed: number;
  /** How many runs there are. */
  runs: number;
  /** How many run at a time with each kind of worker. */
  atOnce: number;
  /** The number of the one run that is wanted; absent: all. */
  only: number | undefined;
}

/** How many times as many runs are under way where workers are killed: most of their time is a wait for a dead one's calls. */
const waiting = 3;

/** Which worker a run is for. Where nothing is kept each task costs as much as all before it, so that few runs are. */
const modeOf = (number: number): Mode => turns[number % turns.length] ?? 'cached';
const turns: Mode[] = ['cached', 'killed', 'cached', 'uncached', 'cached', 'killed'];

/** Has generated runs of all kinds on workers of all kinds, replays them, and tells how many deviate. @returns whether none does */
export async function generatedRuns(place: Place, { atOnce, only, runs, seed }: Generated): Promise<boolean> {
  // It is meant to be odd.
  const model = await startModelServer(courseScript(seed), { breaksRules: true });
  const numbers = Array.from({ length: runs }, (_, number) => number);
  let ended = 0;
  const outcomes = new Map<string, number>();
  const startedAt = Date.now();
  const seconds = (): number => Math.round((Date.now() - startedAt) / 1000);
  const ticking = setInterval(
    () => console.error(`${seconds()} s: ${ended} of ${only === undefined ? runs : 1} runs have ended`),
    15_000,
  );
  const races = modes.map(async (mode, index) => {
    const chosen = numbers.filter((number) => modeOf(number) === mode && (only === undefined || number === only));
    if (chosen.length === 0) return [];
    await using track = await Track.open({ ...place, model, mode, dice: new Dice(seed + index) });
    const { findings, rides } = await race(track, {
      seed,
      numbers: chosen,
      atOnce: mode === 'killed' ? atOnce * waiting : atOnce,
      onEnd: ({ course, end }) => {
        ended += 1;
        const outcome = `${course.type} ${end === undefined ? 'hung' : end.startsWith('failed') ? 'failed' : 'ended'}`;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      },
    }).catch((error: unknown) => {
      // Closing the connection under the other runs of the track may end this process with an error that says nothing.
      console.error(`${mode}:`, error);
      throw error;
    });
    const kills = mode === 'killed' ? `, ${track.kills} kills` : '';
    console.error(`${seconds()} s: ${mode}: ${rides.length} runs, ${findings.length} deviate${kills}`);
    return findings;
  });
  const findings = (await Promise.all(races)).flat();
  clearInterval(ticking);
  await model.close();
  for (const { kept, kind, mode, number, why } of findings) {
    console.log(`--seed ${seed} --runs ${runs} --only ${number} (${mode}): ${kind}: ${why.slice(0, 600)} (${kept})`);
  }
  console.log([...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', '));
  const count = (kind: string): number => findings.filter((finding) => finding.kind === kind).length;
  console.log(
    `${ended} runs: ${count('irreplayable')} cannot be replayed, ${count('other events')} with other events, ${count('hung')} never ended`,
  );
  return findings.length === 0;
}
