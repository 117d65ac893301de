import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/protocol/events.ts';
import { call } from '../../support/agent-script.ts';
import { attemptIn, marked, presents, shownIn, votesForBest } from '../../support/qualities.ts';
import { sharedRunning } from '../../support/running.ts';
import { answer, restart, submit, teamOf, teamScript, vote, type TeamRequest } from '../../support/team-script.ts';

const running = sharedRunning();
const openai = { type: 'openai' };

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
    // The tools are the same from the first attempt on.
    expect(new Set(names)).toEqual(new Set(['["agent1","agent2","agent3"]']));
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
