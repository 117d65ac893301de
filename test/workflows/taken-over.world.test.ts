import { expect, test } from 'vitest';
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
  for (let round = 1; round <= 20; round++) {
    await run.replaceWorker({});
    const over = new AbortController();
    const look = async (): Promise<void> => {
      while (!over.signal.aborted) await session.query('pendingQuestions');
    };
    const turn = session
      .executeUpdate<TurnResult, [string]>('handleText', { args: [`Question ${round}?`] })
      .finally(() => over.abort());
    const [taken] = await Promise.all([turn, look()]);
    turns.push(taken.turn);
  }
  expect(turns).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  await session.signal('close');
  await session.result();
});
