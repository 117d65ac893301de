import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { askEach } from '../../src/client/inbox.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const runs = Array.from({ length: 1000 }, (_, index) => ({ id: `run ${index}` }));
const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A worker that replays one run after the other, each in 20 ms; whoever asks waits for 15 s. */
function worker(isAway: (id: string) => boolean) {
  let replayed = Promise.resolve();
  return ({ id }: { id: string }): Promise<string> => {
    if (!isAway(id)) replayed = replayed.then(() => after(20));
    const answer = isAway(id) ? new Promise<never>(() => {}) : replayed.then(() => id);
    return Promise.race([answer, after(15_000).then(() => Promise.reject(new Error('deadline')))]);
  };
}

async function asked(isAway: (id: string) => boolean) {
  const silent: string[] = [];
  const startedAt = Date.now();
  let endedAt = NaN;
  const all = askEach(runs, worker(isAway), (id) => silent.push(id)).finally(() => (endedAt = Date.now()));
  // Not all timers there are: a file before this one may have left one that comes again and again.
  await vi.advanceTimersByTimeAsync(90_000);
  return { answers: (await all).map(({ answer: told }) => told), silent, seconds: (endedAt - startedAt) / 1000 };
}

test('a thousand runs answer, although their worker needs longer for all than one may take', async () => {
  const { answers, silent } = await asked(() => false);
  expect({ answers: answers.length, silent }).toEqual({ answers: 1000, silent: [] });
});

test('where nobody answers that is said of each run, within half a minute', async () => {
  const { answers, seconds, silent } = await asked(() => true);
  expect({ answers, seconds, silent: silent.length }).toEqual({ answers: [], seconds: 30, silent: 1000 });
});

test('a few runs whose worker is away are named, and keep nobody from answering', async () => {
  const { answers, silent } = await asked((id) => id.endsWith('00'));
  expect({ answers: answers.length, silent: silent.length }).toEqual({ answers: 991, silent: 9 });
});
