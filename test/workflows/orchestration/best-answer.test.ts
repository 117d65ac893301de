import { describe, expect, test } from 'vitest';
import { WorkflowFailedError } from '@temporalio/client';
import type { RunEvent } from '../../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../../src/protocol/orchestration.ts';
import { Dice } from '../../support/dice.ts';
import { call } from '../../support/agent-script.ts';
import type { Script } from '../../support/model-server.ts';
import { sharedRunning } from '../../support/running.ts';
import { answer, restart, submit, teamOf, teamScript, vote, type TeamRequest } from '../../support/team-script.ts';

const running = sharedRunning();
const openai = { type: 'openai' };

/** The mark of an answer, from which scripted voters and judges see how good it is. */
const marked = (quality: number, by: string): string => `Quality ${quality}, by ${by}.`;
const qualityIn = (text: string): number => Number(/Quality (-?\d+)/.exec(text)?.[1]);

/** The answers that a prompt shows by their anonymous names, the newest of each. */
const shownIn = (prompt: string): Map<string, number> =>
  new Map(
    [...prompt.matchAll(/<answer agent="(\w+)"[^>]*>\n([\s\S]*?)\n<\/answer>/g)].map(([, name = '', text = '']) => [
      name,
      qualityIn(text),
    ]),
  );
const votesForBest = ({ prompt }: TeamRequest) => {
  const [best] = [...shownIn(prompt)].sort(([, one], [, other]) => other - one);
  return vote(best?.[0] ?? '');
};
const selectedIn = (prompt: string): number => shownIn(prompt).get(/^Selected: (\S+)$/m.exec(prompt)?.[1] ?? '') ?? NaN;
/** The attempt that a presenter is in, which its prompt tells by the restarts before. */
const attemptIn = (prompt: string): number => (prompt.match(/^- after attempt /gm) ?? []).length + 1;
const presents = ({ prompt }: TeamRequest) => ({ text: marked(selectedIn(prompt), 'the presenter') });

describe('the best answer of the attempts before', () => {
  const qualities: Record<number, number> = { 1: 9, 2: 3, 3: 5 };
  const worse = {
    answer: ({ agent, attempt }: TeamRequest) => answer(marked(qualities[attempt] ?? 0, agent)),
    vote: votesForBest,
    decide: () => restart('Not good enough.', 'Do better.'),
    present: presents,
  };

  test('stands for election in each later one, under a name like the others', async () => {
    const run = running(teamScript(worse));
    const result = await run.orchestrate({ task: 'T', config: teamOf(['a', 'b'], openai) });
    expect(result).toMatchObject({ answer: 'Quality 9, by the presenter.', attempts: 3, outcome: 'restart_limit' });
    expect(result.votes).toEqual([
      { voter: 'a', agent: 'a', reason: 'the best', attempt: 1 },
      { voter: 'b', agent: 'a', reason: 'the best', attempt: 1 },
    ]);
    const voting = run.model.requests.filter(
      ({ prompt, tools }) => prompt.includes('## Answers') && tools.includes('vote'),
    );
    expect(voting.map(({ prompt }) => [...shownIn(prompt).keys()])).toEqual([
      ...Array.from({ length: 2 }, () => ['agent1', 'agent2']),
      ...Array.from({ length: 4 }, () => ['agent1', 'agent2', 'agent3']),
    ]);
    const names = run.model.requests.flatMap(({ raw }) => /"enum":(\["agent[^\]]*\])/.exec(raw)?.[1] ?? []);
    expect(new Set(names)).toEqual(new Set(['["agent1","agent2"]', '["agent1","agent2","agent3"]']));
  });

  test('gives way to one that gets more votes', async () => {
    const run = running(teamScript({ ...worse, answer: ({ agent, attempt }) => answer(marked(attempt, agent)) }));
    const result = await run.orchestrate({ task: 'T', config: teamOf(['a', 'b'], openai) });
    expect(result).toMatchObject({ answer: 'Quality 3, by the presenter.', votes: [{ agent: 'a' }, { agent: 'a' }] });
  });

  test('is kept when nobody votes, unless a person has rejected it', async () => {
    const acts = { ...worse, vote: ({ attempt }: TeamRequest) => (attempt === 1 ? vote('agent1') : { text: 'Hm.' }) };
    const run = running(teamScript(acts));
    const config = teamOf(['a', 'b'], openai, { max_orchestration_restarts: 1 });
    expect(await run.orchestrate({ task: 'T', config })).toMatchObject({ answer: 'Quality 9, by the presenter.' });
    const { promise: deciding, resolve: isDeciding } = Promise.withResolvers<void>();
    const second = running(
      teamScript({
        ...acts,
        decide: ({ attempt }) => {
          isDeciding();
          return attempt === 1 ? { ...submit(), delay: 30_000 } : submit();
        },
      }),
    );
    const handle = await second.start({ task: 'T', config });
    await deciding;
    await handle.signal('requestRestart', { reason: 'Wrong way.', instructions: 'Go left.' });
    expect(await handle.result()).toMatchObject({ answer: 'Quality 3, by the presenter.', attempts: 2 });
  });

  test('is delivered when the time is up before the others are voted on', async () => {
    const slow = { ...answer('Quality 1.'), delay: 30_000 };
    const run = running(
      teamScript({
        ...worse,
        answer: (request) => (request.attempt === 2 && request.agent === 'b' ? slow : worse.answer(request)),
      }),
    );
    const rest = { timeout_settings: { orchestrator_timeout_seconds: 5 } };
    const result = await run.orchestrate({ task: 'T', config: teamOf(['a', 'b'], openai, {}, rest) });
    expect(result).toMatchObject({ answer: 'Quality 9, by a.', outcome: 'timeout', attempts: 2 });
  });

  test('is what was presented in the mode that presents first, and is not presented again', async () => {
    const run = running(teamScript(worse));
    const config = teamOf(['a', 'b'], openai, { enable_post_presentation_evaluation: true });
    const result = await run.orchestrate({ task: 'T', config });
    expect(result).toMatchObject({ answer: 'Quality 9, by the presenter.', outcome: 'restart_limit' });
    expect(run.model.requests.filter(({ prompt }) => prompt.includes('Now write the final answer'))).toHaveLength(1);
  });

  test('is kept when the judge finds it better than what was presented', async () => {
    const run = running(
      teamScript({
        ...worse,
        answer: ({ agent, attempt }) => answer(marked(10 + attempt, agent)),
        present: ({ prompt }) => ({ text: marked(attemptIn(prompt) === 1 ? 9 : 3, 'the presenter') }),
        decide: ({ attempt, prompt }) =>
          attempt === 1
            ? restart('Thin.', 'More.')
            : call('submit', {
                confirmed: true,
                better: prompt.includes('**Best answer so far:**') ? 'earlier' : 'final',
              }),
      }),
    );
    const config = teamOf(['a', 'b'], openai, { enable_post_presentation_evaluation: true });
    const handle = await run.start({ task: 'T', config });
    expect(await handle.result()).toMatchObject({ answer: 'Quality 9, by the presenter.', outcome: 'submitted' });
    const events = await handle.query<RunEvent[]>('events');
    expect(events).toContainEqual(expect.objectContaining({ type: 'kept', agent: 'a', from: 1 }));
  });
});

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
    const [, final = ''] = /## Final answer\n\n([^\n]*)/.exec(prompt) ?? [];
    const [, best] = /\*\*Best answer so far:\*\*\n([^\n]*)/.exec(prompt) ?? [];
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

test('over 100 random courses a worse attempt never wins', { timeout: 600_000 }, async () => {
  let courses = 0;
  let later = 0;
  for (let seed = 1; courses < 100; seed++) {
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
  expect(later).toBeGreaterThan(50);
});
