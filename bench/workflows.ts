import { proxyActivities } from '@temporalio/workflow';

const { wait } = proxyActivities<{ wait(milliseconds: number): Promise<void> }>({
  startToCloseTimeout: '1 minute',
});

/** The floor: as many activities as a team of three makes calls, in the same order, and nothing else. */
export async function floor(milliseconds: number): Promise<void> {
  const threeAtOnce = () => Promise.all([wait(milliseconds), wait(milliseconds), wait(milliseconds)]);
  await threeAtOnce();
  await threeAtOnce();
  await wait(milliseconds);
}

/** The same with a judge's call before the last one. */
export async function judgedFloor(milliseconds: number): Promise<void> {
  await floor(milliseconds);
  await wait(milliseconds);
}

/** The floor of a question to two shadows: two activities side by side, between one that ends and one that begins. */
export async function twoAtOnce(milliseconds: number): Promise<void> {
  await wait(0);
  await Promise.all([wait(milliseconds), wait(milliseconds)]);
  await wait(0);
}

/** The floor of one agent: so many activities, one after the other. */
export async function inSequence(count: number, milliseconds: number): Promise<void> {
  for (let index = 0; index < count; index++) await wait(milliseconds);
}

/** The floor of a plan: analysis, plan, so many subtasks so many at a time, synthesis, validation. */
export async function fewAtATime(count: number, atATime: number, milliseconds: number): Promise<void> {
  await wait(milliseconds);
  await wait(milliseconds);
  let begun = 0;
  const place = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      await wait(milliseconds);
    }
  };
  await Promise.all(Array.from({ length: atATime }, place));
  await wait(milliseconds);
  await wait(milliseconds);
}

/** The floor of a research run of two iterations: as many calls and searches, in the same order, and what is persisted. */
export async function twoIterations(callMs: number, searchMs: number, searches: number): Promise<void> {
  for (let iteration = 1; iteration <= 2; iteration++) {
    await wait(callMs);
    await Promise.all(Array.from({ length: searches }, () => wait(searchMs)));
    await wait(callMs);
  }
  await wait(callMs);
  await wait(0);
}

const { speak } = proxyActivities<{ speak(): Promise<Array<[number, number]>> }>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '15 s',
});

/** So many activities at once that write texts. @returns for each, when how much of its text was there */
export async function speaking(calls: number): Promise<Array<Array<[number, number]>>> {
  return Promise.all(Array.from({ length: calls }, () => speak()));
}
