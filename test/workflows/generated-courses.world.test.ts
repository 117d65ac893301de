import { expect, inject, onTestFinished, test } from 'vitest';
import { race } from '../support/courses/race.ts';
import { courseScript } from '../support/courses/replies.ts';
import { Track } from '../support/courses/track.ts';
import { Dice } from '../support/dice.ts';
import { startModelServer } from '../support/model-server.ts';

const seed = 20261125;

// `npm run replay` does the same with a thousand, and kills workers as well.
test.each(['cached', 'uncached'] as const)(
  'whatever runs of all kinds do and are sent, a replay is what happened: on a worker that is %s',
  { timeout: 600_000 },
  async (mode) => {
    const { address, bundle } = inject('temporal');
    // What it says is meant to be odd.
    const model = await startModelServer(courseScript(seed), { breaksRules: true });
    onTestFinished(() => model.close());
    await using track = await Track.open({ address, bundle, model, mode, dice: new Dice(seed) });
    const numbers = Array.from({ length: 10 }, (_, number) => number);
    const { findings, rides } = await race(track, { seed, numbers, atOnce: 10 });
    expect(findings).toEqual([]);
    expect(new Set(rides.map(({ course }) => course.type)).size).toBe(4);
  },
);
