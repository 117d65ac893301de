import { describe, expect, test } from 'vitest';
import { WorkflowFailedError } from '@temporalio/client';
import type { RunEvent } from '../../src/protocol/events.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { answer, restart, teamOf, teamScript, vote } from '../support/team-script.ts';

const running = sharedRunning();

const team = ['agent_a', 'agent_b'];
const openai = { type: 'openai' };
const slow = { ...answer('Too late.'), delay: 30_000 };

async function failureOf(
  run: SharedRunning,
  input: Parameters<SharedRunning['start']>[0],
): Promise<{ message?: string; type?: string }> {
  const error: unknown = await run.orchestrate(input).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  return (error as WorkflowFailedError).cause as { message?: string; type?: string };
}

describe('time', () => {
  test('an agent that times out stays out for the rest of the run', async () => {
    const run = running(
      teamScript({
        answer: ({ agent }) => (agent === 'agent_a' ? slow : answer(`Answer of ${agent}.`)),
        vote: () => vote('agent2'),
        decide: ({ attempt }) =>
          attempt === 1 ? restart('r', 'i') : { calls: [{ name: 'submit', arguments: { confirmed: true } }] },
      }),
    );
    const config = teamOf(team, openai, {}, { timeout_settings: { agent_timeout_seconds: 5 } });
    const result = await run.orchestrate({ task: 'T', config });
    expect(result).toMatchObject({
      finalAgent: 'agent_b',
      attempts: 2,
      outcome: 'submitted',
      warnings: [
        'agent_a was out of attempt 1: timed out',
        'agent_a was out of attempt 2: timed out in an earlier attempt',
      ],
    });
    expect(run.model.requests.filter(({ prompt }) => prompt.includes('I am agent_a.'))).toHaveLength(1);
  });

  test('an agent that works by react has its time once, and not for each of its thoughts and acts', async () => {
    const later = { delay: 2500 };
    const run = running(
      teamScript({
        // A thought asks for no call, as the presentation does.
        present: ({ agent }) => ({ text: 'Hm.', ...(agent === 'agent_a' && later) }),
        answer: ({ agent }) => ({ ...answer(`Answer of ${agent}.`), ...(agent === 'agent_a' && later) }),
        vote: () => vote('agent2'),
      }),
    );
    const [thinker, other] = teamOf(team, openai).agents;
    const config = {
      agents: [{ ...thinker, orchestrator: 'react' }, other],
      timeout_settings: { agent_timeout_seconds: 4 },
    };
    const handle = await run.start({ task: 'T', config });
    expect(await handle.result()).toMatchObject({ finalAgent: 'agent_b' });
    const events = await handle.query<RunEvent[]>('events');
    expect(events.find((event) => event.type === 'out')).toMatchObject({ agent: 'agent_a', timedOut: true });
    expect(events.flatMap((event) => (event.type === 'answer' ? [event.agent] : []))).toEqual(['agent_b']);
  });

  test('what an agent that timed out has cost is counted', async () => {
    const run = running(
      teamScript({
        answer: ({ agent }) =>
          agent === 'agent_a' ? { ...answer('Too late. '.repeat(50)), pace: 300 } : answer('Mine.'),
        vote: () => vote('agent2'),
      }),
    );
    const config = teamOf(team, openai, {}, { timeout_settings: { agent_timeout_seconds: 5 } });
    const { usage } = await run.orchestrate({ task: 'T', config });
    expect(usage.byAgent['agent_a']).toMatchObject({ calls: 1 });
    expect(usage.byAgent['agent_a']?.inputTokens).toBeGreaterThan(0);
  });

  test('a provider that is down for long does not outlast a budget of time', async () => {
    const run = running(
      teamScript({ answer: ({ agent }) => (agent === 'agent_a' ? { status: 503 } : answer('Mine.')) }),
    );
    const config = teamOf(team, openai, {}, { budget: { seconds: 5 } });
    // Without the budget it would be tried for ten minutes, which is an agent's time.
    expect(await run.orchestrate({ task: 'T', config })).toMatchObject({ finalAgent: 'agent_b' });
  });

  test.each([
    ['the budget', { budget: { seconds: 4 } }, 'The budget of 4 seconds is spent', false],
    ['its agent', { budget: { seconds: 600 }, timeout_settings: { agent_timeout_seconds: 4 } }, 'time', true],
  ])('a call that takes all the time of %s says which limit has ended it', async (_, limits, reason, timedOut) => {
    const run = running(teamScript({ answer: ({ agent }) => (agent === 'agent_a' ? slow : answer('Mine.')) }));
    const handle = await run.start({ task: 'T', config: teamOf(team, openai, {}, limits) });
    await handle.result();
    const events = await handle.query<RunEvent[]>('events');
    const out = events.find((event) => event.type === 'out');
    expect(out).toMatchObject({ agent: 'agent_a', timedOut, reason: expect.stringContaining(reason) as string });
  });

  test('when the attempt’s time is over, the best answer so far is delivered', async () => {
    const run = running(
      teamScript({ answer: ({ agent }) => (agent === 'agent_a' ? slow : answer(`Answer of ${agent}.`)) }),
    );
    const config = teamOf(team, openai, {}, { timeout_settings: { orchestrator_timeout_seconds: 5 } });
    expect(await run.orchestrate({ task: 'T', config })).toMatchObject({
      outcome: 'timeout',
      answer: 'Answer of agent_b.',
      finalAgent: 'agent_b',
    });
  });

  test('when all agents have timed out there is no restart: the best answer, `timeout`', async () => {
    const run = running(teamScript({ vote: () => ({ ...vote('agent1'), delay: 30_000 }) }));
    const config = teamOf(team, openai, {}, { timeout_settings: { agent_timeout_seconds: 5 } });
    expect(await run.orchestrate({ task: 'T', config })).toMatchObject({
      outcome: 'timeout',
      answer: 'Answer of agent_a in attempt 1.',
      attempts: 1,
    });
    expect(run.model.requests).toHaveLength(4);
  });
});

describe('budget', () => {
  test.each([
    ['calls are counted when they start, and the best answer is delivered', { calls: 3 }, 3],
    ['the decision is not made when its call is not paid for', { calls: 4 }, 4],
    ['the presentation is not made when its call is not paid for', { calls: 5 }, 5],
    ['tokens', { tokens: 30 }, 2],
  ])('%s', async (_, budget, calls) => {
    const run = running(teamScript());
    const result = await run.orchestrate({ task: 'T', config: teamOf(team, openai, {}, { budget }) });
    expect(result).toMatchObject({ outcome: 'budget', answer: 'Answer of agent_a in attempt 1.', usage: { calls } });
    expect(run.model.requests).toHaveLength(calls);
  });

  test('a budget that ends with votes that name nobody costs the run none of its answers', async () => {
    const run = running(teamScript({ vote: () => ({ text: 'The second one is the best of them.' }) }));
    const config = teamOf(team, openai, {}, { budget: { calls: 6 } });
    const { answer: given, outcome, warnings } = await run.orchestrate({ task: 'T', config });
    expect([given, outcome]).toEqual(['Answer of agent_a in attempt 1.', 'budget']);
    expect(warnings).toContain('Nobody has voted: the answer of agent_a was taken, since it comes first');
  });

  test('a run that just fits its budget is submitted', async () => {
    const run = running(teamScript());
    const result = await run.orchestrate({ task: 'T', config: teamOf(team, openai, {}, { budget: { calls: 6 } }) });
    expect(result.outcome).toBe('submitted');
  });

  test('the judge is told what is left', async () => {
    const run = running(teamScript());
    await run.orchestrate({ task: 'T', config: teamOf(team, openai, {}, { budget: { calls: 10 } }) });
    expect(run.model.requests.find(({ tools }) => tools.includes('submit'))?.prompt).toContain('Budget left: 6 calls.');
  });
});

describe('failure', () => {
  test('when no agent has answered the run fails with every agent’s reason', async () => {
    const run = running(
      teamScript({
        answer: ({ agent }) => ({
          status: agent === 'agent_a' ? 401 : 404,
          errorBody: '{"error":{"message":"no such model, test-key-openai"}}',
        }),
      }),
    );
    const failure = await failureOf(run, { task: 'T', config: teamOf(team, openai) });
    expect(failure.type).toBe('NoAnswer');
    expect(failure.message).toMatch(/agent_a: .*401.*\(check OPENAI_API_KEY\)/);
    expect(failure.message).toMatch(/agent_b: .*404/);
    expect(failure.message).not.toContain('test-key-openai');
  });

  test('an answer of an earlier attempt is delivered when nobody answers in a later one', async () => {
    const run = running(
      teamScript({
        answer: ({ agent, attempt }) => (attempt === 1 ? answer(`Answer of ${agent}.`) : { status: 400 }),
        decide: () => restart('r', 'i'),
      }),
    );
    expect(await run.orchestrate({ task: 'T', config: teamOf(team, openai) })).toMatchObject({
      answer: 'Answer of agent_a.',
      attempts: 2,
      outcome: 'degraded',
      warnings: [expect.stringMatching(/^attempt 2 failed: agent_a: .*400.*; agent_b: /)],
    });
  });

  test('a final agent whose model fails costs only the presentation', async () => {
    const run = running(teamScript({ present: () => ({ status: 400 }) }));
    expect(await run.orchestrate({ task: 'T', config: teamOf(team, openai) })).toMatchObject({
      answer: 'Answer of agent_a in attempt 1.',
      outcome: 'degraded',
      warnings: [expect.stringContaining("the final agent's model failed")],
    });
  });

  test('a 429 is retried after the time it names, and no agent hears of it', async () => {
    let refused = false;
    const run = running(
      teamScript({
        answer: ({ agent }) => {
          if (refused) return answer(`Answer of ${agent}.`);
          refused = true;
          return { status: 429, headers: { 'retry-after-ms': '50' } };
        },
      }),
    );
    const result = await run.orchestrate({ task: 'T', config: teamOf(team, openai) });
    expect(result.outcome).toBe('submitted');
    expect(run.model.requests).toHaveLength(7);
    expect(result.usage.calls).toBe(6);
  });

  test.each([
    ['an empty task', { task: ' ' }, /^task: must not be empty/],
    ['an unknown key', { task: 'T', confg: {} }, /confg: unknown key; did you mean config\?/],
    [
      'a bad value deep in the configuration',
      { task: 'T', config: { agents: [{ id: 'a', backend: { type: 'opnai' } }] } },
      /config\.agents\[0\]\.backend\.type: "opnai" is not one of openai \| claude/,
    ],
    ['a configuration that there is not', { task: 'T', config: 'nowhere' }, /no configuration named "nowhere"/],
    ['a missing key', { task: 'T', config: teamOf(['a'], { type: 'gemini' }) }, /agent a: .*GEMINI_API_KEY/],
  ])('%s is refused before anything starts', async (_, input, message) => {
    const run = running(teamScript());
    const failure = await failureOf(run, input);
    expect(failure.type).toBe('InvalidInput');
    expect(failure.message).toMatch(message);
    expect(run.model.requests).toHaveLength(0);
  });
});
