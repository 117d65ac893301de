import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { TurnResult } from '../../src/protocol/session.ts';
import { sharedRunning } from '../support/running.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

const running = sharedRunning();

// One in six of such turns meets the SDK's core while it overlooks updates (src/client/asked-again.ts).
test('a turn that is sent while a worker takes a session over, and somebody looks on, is taken once', async () => {
  const run = running(teamScript());
  const config = teamOf(['agent_a'], { type: 'openai' }, { max_orchestration_restarts: 0 });
  const session = await run.startSession({ config });
  const turns: number[] = [];
  for (let round = 1; round <= 12; round++) {
    await run.replaceWorker({});
    const over = new AbortController();
    const look = async (): Promise<void> => {
      // The server gives a query up for which a busy worker takes too long.
      while (!over.signal.aborted) await session.query('pendingQuestions').catch(() => {});
    };
    const turn = session
      .executeUpdate<TurnResult, [string]>('handleText', { args: [`Question ${round}?`] })
      .finally(() => over.abort());
    const [taken] = await Promise.all([turn, look()]);
    turns.push(taken.turn);
  }
  expect(turns).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  await session.signal('close');
  await session.result();
});

test('an event of a task that led to nothing keeps its time where the next worker is first told of an update', async () => {
  const run = running(teamScript());
  const config = teamOf(['agent_a'], { type: 'openai' }, { max_orchestration_restarts: 0 });
  const session = await run.startSession({ config });
  const events = (): Promise<RunEvent[]> => session.query('events');
  const warned = async (): Promise<number> => (await events()).filter(({ type }) => type === 'warning').length;
  for (let round = 1; round <= 3; round++) {
    // Two tasks that lead to nothing, of which the second one would be taken for a part of the turn's.
    for (const number of [round * 2 - 1, round * 2]) {
      await session.signal('answer', { questionId: `nobody's ${number}`, answer: 'x' });
      await expect.poll(warned).toBe(number);
    }
    // So that nobody serves the session when the turn is sent.
    await run.replaceWorker({}, `${run.taskQueue}-elsewhere`);
    const turn = session.executeUpdate<TurnResult, [string]>('handleText', { args: [`Question ${round}?`] });
    await run.replaceWorker({});
    await turn;
  }
  const told = await events();
  await run.replaceWorker({});
  await expect.poll(events).toEqual(told);
  await session.signal('close');
  await session.result();
});
