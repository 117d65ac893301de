import { WorkflowFailedError } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../../src/protocol/orchestration.ts';
import { call } from '../../support/agent-script.ts';
import { Dice } from '../../support/dice.ts';
import type { Script } from '../../support/model-server.ts';
import { attemptIn, marked, qualityIn, selectedIn, votesForBest } from '../../support/qualities.ts';
import { sharedRunning } from '../../support/running.ts';
import { answer, teamOf, teamScript, type TeamRequest } from '../../support/team-script.ts';

const running = sharedRunning();
const openai = { type: 'openai' };

interface Course {
  ids: string[];
  restarts: number;
  coordination: object;
  rest: object;
  script: Script;
}

/** A course by chance: answers of any quality, agents that fail, votes that are missing, judges that ask for more, budgets. */
function courseOf(seed: number): Course {
  const dice = new Dice(seed);
  const ids = ['a', 'b', 'c'].slice(0, dice.whole(1, 3));
  const restarts = dice.whole(1, 3);
  const presentsFirst = dice.chance(0.5);
  const hasBudget = dice.chance(0.4);
  const table = Array.from({ length: 4 }, () =>
    Object.fromEntries(
      ids.map((id) => [
        id,
        {
          quality: dice.whole(0, 99),
          improved: dice.whole(0, 99),
          answers: !dice.chance(0.2),
          votes: !dice.chance(0.2),
        },
      ]),
    ),
  );
  const failing = dice.chance(0.2) ? dice.whole(2, restarts + 1) : 0;
  const improver = dice.chance(0.2) ? dice.one(ids) : '';
  const decisions = Array.from({ length: 4 }, () => dice.chance(0.75));
  const spoilt = Array.from({ length: 4 }, () => (presentsFirst && !hasBudget ? dice.whole(0, 30) : 0));
  const of = ({ agent, attempt }: TeamRequest) => table[attempt - 1]![agent]!;
  const better = (prompt: string) => {
    const [, final = ''] = /## Final answer\n\n<answer>\n([^\n]*)/.exec(prompt) ?? [];
    const [, best] = /\*\*Best answer so far:\*\*\n<answer>\n([^\n]*)/.exec(prompt) ?? [];
    return best === undefined || !final ? {} : { better: qualityIn(best) > qualityIn(final) ? 'earlier' : 'final' };
  };
  return {
    ids,
    restarts,
    coordination: { max_orchestration_restarts: restarts, enable_post_presentation_evaluation: presentsFirst },
    rest: hasBudget ? { budget: { calls: dice.whole(3, 24) } } : {},
    script: teamScript({
      answer: (request) =>
        request.attempt === failing || (!of(request).answers && request.attempt > 1)
          ? { status: 400 }
          : answer(marked(of(request).quality, request.agent)),
      vote: (request) => {
        if (!of(request).votes) return { status: 400 };
        const improved = marked(of(request).improved, `${request.agent} once more`);
        return request.agent === improver && !request.prompt.includes('once more')
          ? answer(improved)
          : votesForBest(request);
      },
      decide: ({ attempt, prompt }) =>
        decisions[attempt - 1]
          ? call('restart_orchestration', { reason: 'r', instructions: 'i', ...better(prompt) })
          : call('submit', { confirmed: true, ...better(prompt) }),
      present: ({ prompt }) => ({
        text: marked(selectedIn(prompt) - (spoilt[attemptIn(prompt) - 1] ?? 0), 'the presenter'),
      }),
    }),
  };
}

/** For each attempt, the quality of what it would have delivered. */
function resultsIn(events: RunEvent[], presentsFirst: boolean): number[] {
  const given = new Map<string, number>();
  const results = new Map<number, number>();
  for (const event of events) {
    const { attempt } = event;
    if (event.type === 'answer') given.set(`${event.agent} ${attempt}`, qualityIn(event.content));
    if (event.type === 'selected') {
      const earlier = event.from === undefined ? undefined : results.get(attempt - 1);
      results.set(attempt, earlier ?? given.get(`${event.agent} ${attempt}`) ?? NaN);
    }
    if (event.type === 'presented' && presentsFirst) results.set(attempt, qualityIn(event.content));
    if (event.type === 'kept') results.set(attempt, results.get(attempt - 1) ?? NaN);
  }
  return [...results.values()];
}

test('over 16 random courses a worse attempt never wins', { timeout: 600_000 }, async () => {
  let courses = 0;
  let later = 0;
  for (let seed = 1; courses < 16; seed++) {
    const { coordination, ids, rest, script } = courseOf(seed);
    const run = running(script);
    const handle = await run.start({ task: 'T', config: teamOf(ids, openai, coordination, rest) });
    const result = await handle.result().catch((error: unknown) => error);
    // Nobody has answered.
    if (result instanceof WorkflowFailedError) continue;
    courses += 1;
    const { answer: delivered, attempts } = result as OrchestrationResult;
    const events = await handle.query<RunEvent[]>('events');
    const results = resultsIn(
      events,
      'enable_post_presentation_evaluation' in coordination &&
        coordination.enable_post_presentation_evaluation === true,
    );
    if (attempts > 1) later += 1;
    expect({ seed, worse: results.filter((quality) => !(qualityIn(delivered) >= quality)) }).toEqual({
      seed,
      worse: [],
    });
  }
  expect(later).toBeGreaterThan(5);
});
