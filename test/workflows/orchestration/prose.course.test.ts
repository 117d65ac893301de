import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../../src/protocol/orchestration.ts';
import type { Scripted, Seen } from '../../support/model-server.ts';
import { sharedRunning } from '../../support/running.ts';
import { answer, teamOf, teamScript, vote } from '../../support/team-script.ts';

const running = sharedRunning();
const openai = { type: 'openai' };

type Acts = Parameters<typeof teamScript>[0];

async function play(ids: string[], acts: Acts, rest: object = {}) {
  const run = running(teamScript(acts));
  const handle = await run.start({ task: 'T', config: teamOf(ids, openai, { max_orchestration_restarts: 0 }, rest) });
  const result = (await handle.result()) as OrchestrationResult;
  return { result, requests: [...run.model.requests], events: await handle.query<RunEvent[]>('events') };
}

const asJson = (name: string, input: object): Scripted => ({
  text: `\`\`\`json\n${JSON.stringify({ name, arguments: input })}\n\`\`\``,
});
const nudges = (requests: Seen[], agent: string): Seen[] =>
  requests.filter(({ prompt }) => prompt.includes(`I am ${agent}.`) && prompt.includes('Nobody sees a text alone'));

describe('prose where an answer was asked for', () => {
  test('is nudged once towards the tool, and is then the answer: a model that never calls a tool still answers', async () => {
    const { events, requests, result } = await play(['solo'], {
      answer: () => ({ text: 'It is 42.' }),
      vote: () => ({ text: 'Mine is best.' }),
      present: () => ({ text: 'It is 42, of course.' }),
    });
    expect(result).toMatchObject({ answer: 'It is 42, of course.', outcome: 'submitted', votes: [] });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'answer', agent: 'solo', content: 'It is 42.', fromProse: true }),
    );
    expect(requests).toHaveLength(5);
  });

  test('the fuller of the two texts is taken', async () => {
    const { events } = await play(['solo'], {
      answer: ({ prompt }) => ({ text: prompt.includes('Nobody sees') ? 'As I said.' : 'It is 42, since 6 × 7 = 42.' }),
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'answer', content: 'It is 42, since 6 × 7 = 42.' }));
  });

  test('a nudge is often enough, and then nothing was taken from prose', async () => {
    const { events, requests } = await play(['solo'], {
      answer: ({ prompt }) => (prompt.includes('Nobody sees') ? answer('It is 42.') : { text: 'It is 42.' }),
    });
    const given = events.filter(({ type }) => type === 'answer');
    expect(given).toMatchObject([{ content: 'It is 42.' }]);
    expect(given[0]).not.toHaveProperty('fromProse');
    expect(nudges(requests, 'solo').length).toBeGreaterThan(0);
  });

  test('what was written before a model failed for good counts too', async () => {
    const { result } = await play(['solo'], {
      answer: ({ prompt }) => (prompt.includes('Nobody sees') ? { status: 400 } : { text: 'It is 42.' }),
      present: () => ({ status: 400 }),
    });
    expect(result).toMatchObject({ answer: 'It is 42.', outcome: 'degraded' });
  });

  test('blank texts are no answer, and end in a failure that says so', async () => {
    const run = running(teamScript({ answer: () => ({ text: ' ' }) }));
    const failure: unknown = await run
      .orchestrate({ task: 'T', config: teamOf(['solo'], openai) })
      .catch((error) => error);
    expect((failure as { cause: Error }).cause.message).toContain('3 replies in a row');
  });

  test('a text that was cut off is continued before it is taken', async () => {
    const { events } = await play(['solo'], {
      answer: ({ prompt }) =>
        prompt.includes('Your text was cut off') ? { text: 'forty-two.' } : { text: 'It is ', finish: 'length' },
      present: ({ prompt }) => ({ text: prompt.includes('Your text was cut off') ? 'forty-two.' : 'So it is.' }),
    });
    const given = events.flatMap((event) => (event.type === 'answer' ? [event.content] : []));
    expect(given).toEqual(['It is forty-two.']);
  });
});

describe('prose where a vote was asked for', () => {
  test('is nudged once, and is then no vote: the agent keeps its answer, which others may vote for', async () => {
    const { events, requests, result } = await play(['a', 'b', 'c'], {
      vote: ({ agent }) => (agent === 'b' ? { text: 'agent1 is the best.' } : vote('agent2')),
    });
    expect(result).toMatchObject({ finalAgent: 'b', outcome: 'submitted' });
    expect(result.votes.map(({ voter }) => voter)).toEqual(['a', 'c']);
    expect(events).toContainEqual(expect.objectContaining({ type: 'no_vote', agent: 'b' }));
    expect(events.some(({ type }) => type === 'out')).toBe(false);
    expect(nudges(requests, 'b')).toHaveLength(1);
  });
});

describe('a call that is written as text', () => {
  test('counts as the call: answers, votes, and what the tools would refuse', async () => {
    const long = 'A long answer. '.repeat(100);
    const { requests, result } = await play(['a', 'b'], {
      answer: ({ agent }) => asJson('new_answer', { content: `${agent}: ${long}` }),
      vote: ({ prompt }) =>
        asJson('vote', { agent_id: prompt.includes('agent_id: it must be one of') ? 'agent2' : 'agent9', reason: 'r' }),
    });
    expect(result).toMatchObject({ finalAgent: 'b', outcome: 'submitted', votes: [{ agent: 'b' }, { agent: 'b' }] });
    expect(requests.find(({ prompt }) => prompt.includes('## Answers'))?.prompt).toContain(`\nb: ${long}\n`);
    expect(requests).toHaveLength(7);
  });

  test('counts as a judge’s decision', async () => {
    const run = running(
      teamScript({
        decide: ({ attempt }) =>
          attempt === 1
            ? asJson('restart_orchestration', { reason: 'Thin.', instructions: 'More.' })
            : { text: '{"confirmed": true}' },
      }),
    );
    const result = await run.orchestrate({ task: 'T', config: teamOf(['solo'], openai) });
    expect(result).toMatchObject({ attempts: 2, outcome: 'submitted', restarts: [{ reason: 'Thin.' }] });
  });
});

describe('an answer that is cut off', () => {
  test('is continued when it is presented, and the reader gets the whole', async () => {
    const { result } = await play(['solo'], {
      present: ({ prompt }) =>
        prompt.includes('Your text was cut off')
          ? { text: ' and its end.' }
          : { text: 'The beginning', finish: 'length' },
    });
    expect(result).toMatchObject({ answer: 'The beginning and its end.', outcome: 'submitted', warnings: [] });
  });

  test('is named when it never comes to its end', async () => {
    const { result } = await play(['solo'], { present: () => ({ text: 'on and ', finish: 'length' }) });
    expect(result).toMatchObject({
      answer: 'on and on and on and on and ',
      outcome: 'degraded',
      warnings: ['the answer of solo was cut off at its limit of tokens'],
    });
  });

  test('in a call it is told to the model, which gives a shorter one; one that never does is out for that reason', async () => {
    const cut = { calls: [{ name: 'new_answer', arguments: '{"content": "It i' }], finish: 'length' };
    const { result, events } = await play(['a', 'b'], {
      answer: ({ agent, messages }) => {
        if (agent === 'b') return cut;
        return messages.filter(({ role }) => role === 'tool').length === 2 ? answer('42.') : cut;
      },
    });
    expect(result).toMatchObject({ finalAgent: 'a', outcome: 'submitted' });
    const out = events.find((event) => event.type === 'out');
    expect(out).toMatchObject({
      agent: 'b',
      reason: expect.stringMatching(/^3 replies in a row .*: Error: .*new_answer/),
    });
  });
});
