import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { running } from '../support/running.ts';
import { answer, teamOf, teamScript, vote } from '../support/team-script.ts';

const minutes = 60_000;
const names = ['store.sqlite', 'store.sqlite-wal', 'store.sqlite-shm'];
const solo = teamOf(['agent_a'], { type: 'openai' }, { max_orchestration_restarts: 0 });

/** A team of one whose answer waits until it is let go. */
function heldTeam() {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let calls = 0;
  const script = teamScript({
    answer: async () => {
      calls += 1;
      isAsked();
      await released;
      return calls > 1 ? vote('agent1') : answer('Answer.');
    },
    vote: () => vote('agent1'),
  });
  return { script, asked, release };
}

const present = (home: string): string[] => names.filter((name) => existsSync(join(home, name)));

function move(home: string, from: string, to: string): void {
  mkdirSync(join(home, to), { recursive: true });
  for (const name of names)
    if (existsSync(join(home, from, name))) renameSync(join(home, from, name), join(home, to, name));
}

test(
  'a store that is moved away in the middle of a run is missed, and all goes on when it is back',
  { timeout: 5 * minutes },
  async () => {
    const { asked, release, script } = heldTeam();
    await using run = await running(script);
    const handle = await run.start({ task: 'T', config: solo });
    await asked;
    const before = run.model.requests.length;
    move(run.home, '.', 'aside');
    release();
    // The reply is kept in hand: nothing is asked again, and nothing new is written in the place of the old file.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(run.model.requests.length).toBe(before);
    expect(present(run.home)).toEqual([]);
    move(run.home, 'aside', '.');
    expect(await handle.result()).toMatchObject({ answer: expect.any(String) as string });
  },
);

test('a store in whose place there is another one is not written to', { timeout: 5 * minutes }, async () => {
  const { asked, release, script } = heldTeam();
  await using run = await running(script);
  const handle = await run.start({ task: 'T', config: solo });
  await asked;
  move(run.home, '.', 'aside');
  copyFileSync(join(run.home, 'aside', 'store.sqlite'), join(run.home, 'store.sqlite'));
  const before = run.model.requests.length;
  release();
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(run.model.requests.length).toBe(before);
  rmSync(join(run.home, 'store.sqlite'));
  move(run.home, 'aside', '.');
  await handle.result();
});

test(
  'where the disk has less room than is wanted no model is called, and the run says why; it goes on when there is room',
  { timeout: 5 * minutes },
  async () => {
    await using run = await running(teamScript(), { REPRISE_MIN_FREE_MB: '999999999' });
    const handle = await run.start({ task: 'T', config: solo });
    await expect
      .poll(async () => (await handle.describe()).raw.pendingActivities?.[0]?.lastFailure?.message, {
        timeout: minutes,
      })
      .toMatch(/^The disk of .* has \d+ MB left, and a model is called only while there are 999999999: make room/);
    expect(run.model.requests).toEqual([]);
    await run.replaceWorker({ REPRISE_MIN_FREE_MB: '0' });
    await handle.result();
    expect(run.model.requests.length).toBeGreaterThan(0);
  },
);
