import { describe, expect, test } from 'vitest';
import { WorkflowFailedError } from '@temporalio/client';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { answer, restart, teamOf, teamScript } from '../support/team-script.ts';

const running = sharedRunning();

const team = ['agent_a', 'agent_b'];
const openai = { type: 'openai' };

async function failureOf(
  run: SharedRunning,
  input: Parameters<SharedRunning['start']>[0],
): Promise<{ message?: string; type?: string }> {
  const error: unknown = await run.orchestrate(input).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  return (error as WorkflowFailedError).cause as { message?: string; type?: string };
}

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
