import { describe, expect, test } from 'vitest';
import type { Scripted } from '../support/model-server.ts';
import { sharedRunning } from '../support/running.ts';
import { answer, restart, submit, teamOf, teamScript, vote } from '../support/team-script.ts';

const running = sharedRunning();

const team = ['agent_a', 'agent_b', 'agent_c'];
const wires = [{ type: 'openai' }, { type: 'claude' }] as const;
const never = new Promise<Scripted>(() => {});
const insist = () => restart('Only plans.', 'Do the work.');

describe.each(wires)('exact numbers of model calls through $type', (backend) => {
  const evaluated = { enable_post_presentation_evaluation: true };
  test.each<[calls: number, when: string, restarts: number, outcome: string, coordination?: object]>([
    [7, 'where no decision is asked for', 0, 'submitted', { max_orchestration_restarts: 0 }],
    [8, 'by default', 0, 'submitted'],
    [15, 'with one restart before presenting', 1, 'submitted'],
    [16, 'with one restart after presenting', 1, 'submitted', evaluated],
    [22, 'when it always restarts before presenting', 9, 'restart_limit'],
    [24, 'when it always restarts after presenting', 9, 'restart_limit', evaluated],
  ])('%i %s', async (calls, _, restarts, outcome, coordination = {}) => {
    const run = running(teamScript({ decide: ({ attempt }) => (attempt <= restarts ? insist() : submit()) }));
    const result = await run.orchestrate({ task: 'What is 6 × 7?', config: teamOf(team, backend, coordination) });
    expect(run.model.requests).toHaveLength(calls);
    expect(result).toMatchObject({
      answer: 'The final answer, by agent_a.',
      finalAgent: 'agent_a',
      outcome,
      attempts: Math.min(restarts, 2) + 1,
      usage: { calls, inputTokens: 10 * calls, outputTokens: 5 * calls },
    });
    expect(result.restarts).toHaveLength(Math.min(restarts, 2));
  });
});

describe('coordination', () => {
  test('answers are shown under anonymous names in the order of configuration, and each reader is told its own', async () => {
    const run = running(teamScript());
    await run.orchestrate({ task: 'T', config: teamOf(team, { type: 'openai' }) });
    const votes = run.model.requests.filter(({ prompt }) => prompt.includes('Vote for the best answer'));
    expect(votes).toHaveLength(3);
    for (const { prompt } of votes) {
      const own = /I am agent_(.)\./.exec(prompt)?.[1] ?? '';
      const names = [...prompt.matchAll(/<answer agent="(\w+)">\nAnswer of agent_(.)/g)];
      const letters = Object.fromEntries(names.map(([, name, letter]) => [name, letter]));
      expect(letters).toEqual({ agent1: 'a', agent2: 'b', agent3: 'c' });
      expect(letters[/The answer of (\w+) is yours\./.exec(prompt)?.[1] ?? '']).toBe(own);
    }
  });

  test('the tools of an agent’s calls stay the same, byte for byte, whoever has answered', async () => {
    const run = running(teamScript());
    await run.orchestrate({ task: 'T', config: teamOf(team, { type: 'openai' }) });
    const tools = run.model.requests
      .filter(({ tools: names }) => names.includes('vote'))
      .map(({ body }) => JSON.stringify(body['tools']));
    expect(new Set(tools).size).toBe(1);
  });

  test('a new answer voids the votes cast so far, and all vote anew', async () => {
    let improved = false;
    const run = running(
      teamScript({
        vote: ({ agent, prompt }) => {
          if (agent === 'agent_c' && !improved) {
            improved = true;
            return { ...answer('A much better answer.'), delay: 300 };
          }
          return vote(prompt.includes('A much better answer.') ? 'agent3' : 'agent1');
        },
      }),
    );
    const result = await run.orchestrate({ task: 'T', config: teamOf(team, { type: 'openai' }) });
    expect(result.finalAgent).toBe('agent_c');
    expect(result.votes.map(({ agent }) => agent)).toEqual(['agent_c', 'agent_c', 'agent_c']);
  });

  test('calls in flight for an older state are cancelled, and what they cost is counted', async () => {
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const run = running(
      teamScript({
        vote: async ({ agent, prompt }) => {
          if (prompt.includes('Better.')) return vote('agent1');
          if (agent === 'agent_a') {
            await both.promise;
            return answer('Better.');
          }
          waiting += 1;
          if (waiting === 2) both.resolve();
          return never;
        },
      }),
    );
    const result = await run.orchestrate({ task: 'T', config: teamOf(team, { type: 'openai' }) });
    expect(run.model.requests.filter(({ aborted }) => aborted)).toHaveLength(2);
    expect(result.usage.calls).toBe(run.model.requests.length);
    const finished = run.model.requests.length - 2;
    expect(result.usage.inputTokens).toBeGreaterThan(10 * finished);
  });

  test('a vote for an agent without an answer is refused with the valid choices', async () => {
    const run = running(
      teamScript({
        answer: ({ agent, attempt }) =>
          agent === 'agent_b' ? { status: 400 } : answer(`Answer of ${agent} in attempt ${attempt}.`),
        vote: ({ prompt }) => vote(prompt.includes('Valid choices: agent1, agent3') ? 'agent3' : 'agent2'),
      }),
    );
    const result = await run.orchestrate({ task: 'T', config: teamOf(team, { type: 'openai' }) });
    expect(result.finalAgent).toBe('agent_c');
  });

  test('an agent that three times in a row neither answers nor votes usably is out; the rest go on', async () => {
    const run = running(
      teamScript({
        answer: ({ agent }) => (agent === 'agent_a' ? vote('agent1') : answer(`Answer of ${agent}.`)),
        vote: () => vote('agent2'),
      }),
    );
    const result = await run.orchestrate({ task: 'T', config: teamOf(team, { type: 'openai' }) });
    expect(run.model.requests.filter(({ prompt }) => prompt.includes('I am agent_a.'))).toHaveLength(3);
    expect(result).toMatchObject({
      finalAgent: 'agent_b',
      outcome: 'degraded',
      warnings: [expect.stringMatching(/^agent_a was out of attempt 1: 3 replies in a row /)],
    });
  });

  test('an agent that is out for another reason than time comes back in the next attempt', async () => {
    const run = running(
      teamScript({
        answer: ({ agent, attempt }) =>
          agent === 'agent_a' && attempt === 1 ? { status: 400 } : answer(`Answer of ${agent} in attempt ${attempt}.`),
        vote: ({ attempt }) => vote(attempt === 1 ? 'agent2' : 'agent1'),
        decide: ({ attempt }) => (attempt === 1 ? insist() : submit()),
      }),
    );
    const result = await run.orchestrate({ task: 'T', config: teamOf(team, { type: 'openai' }) });
    expect(result).toMatchObject({ finalAgent: 'agent_a', attempts: 2 });
  });

  test('an agent that gives more answers than it may is told to vote', async () => {
    const run = running(
      teamScript({
        vote: ({ agent, prompt, index }) =>
          agent === 'agent_a' && !prompt.includes('Call `vote`') ? answer(`Improved ${index}.`) : vote('agent1'),
      }),
    );
    const result = await run.orchestrate({
      task: 'T',
      config: teamOf(team, { type: 'openai' }, { max_new_answers_per_agent: 2 }),
    });
    expect(result.outcome).toBe('submitted');
    expect(run.model.requests.some(({ prompt }) => prompt.includes('you have given all 2 answers'))).toBe(true);
  });

  test('a duplicate of an answer that was shown is refused, a first answer never', async () => {
    const run = running(
      teamScript({
        answer: () => answer('The same.'),
        vote: ({ agent, prompt }) =>
          agent === 'agent_b' && !prompt.includes('again. Vote for it') ? answer('the SAME. ') : vote('agent2'),
      }),
    );
    const result = await run.orchestrate({ task: 'T', config: teamOf(team, { type: 'openai' }) });
    expect(result.finalAgent).toBe('agent_b');
    expect(
      run.model.requests.filter(({ prompt }) => prompt.includes('that is the answer of agent1 again')),
    ).toHaveLength(1);
  });

  test('a call of a tool that does not exist is answered with an error', async () => {
    const run = running(
      teamScript({
        answer: ({ agent, prompt }) =>
          prompt.includes('No such tool available: search')
            ? answer(`Answer of ${agent}.`)
            : { calls: [{ name: 'search', arguments: {} }] },
      }),
    );
    expect(await run.orchestrate({ task: 'T', config: teamOf(['solo'], { type: 'openai' }) })).toMatchObject({
      outcome: 'submitted',
    });
  });
});
