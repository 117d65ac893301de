import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../../src/protocol/orchestration.ts';
import { startModelServer, type Scripted, type Seen } from '../../support/model-server.ts';
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
    // What it would present may be about anything.
    expect(result).toMatchObject({ answer: 'It is 42.', outcome: 'submitted', votes: [], warnings: [] });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'answer', agent: 'solo', content: 'It is 42.', fromProse: true }),
    );
    expect(requests).toHaveLength(4);
  });

  test.each([
    [
      'a longer one about the tool',
      'The original function `new_answer` should be called with `new_answer`, which is a tool that I call.',
    ],
    ['a loop', 'Red is a primary colour. '.repeat(60)],
    ['nothing', ' '],
    ['a longer one', 'Blue is one. Yellow is another. And there is red, which makes three of them in all.'],
  ])('the first text stays the answer where the next one is %s', async (_, text) => {
    const { events } = await play(['solo'], {
      answer: ({ prompt }) => ({ text: prompt.includes('Nobody sees') ? text : 'Red, blue, yellow.' }),
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'answer', content: 'Red, blue, yellow.' }));
  });

  test('the next text is the answer where the first one was about the tool', async () => {
    const { events } = await play(['solo'], {
      answer: ({ prompt }) => ({
        text: prompt.includes('Nobody sees') ? 'Red.' : 'I will call `new_answer` now, as I should.',
      }),
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'answer', content: 'Red.' }));
  });

  test('the first of the two texts is taken', async () => {
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

  test('is delivered and named where the elected one never comes to its end either', async () => {
    const { result } = await play(['solo'], {
      answer: () => ({ text: 'It goes on ', finish: 'length' }),
      present: ({ prompt }) => ({ text: prompt.includes('Now write') ? 'on and ' : 'and on ', finish: 'length' }),
    });
    expect(result).toMatchObject({
      answer: expect.stringMatching(/^(on and )+$/) as string,
      outcome: 'degraded',
      warnings: ['the answer of solo was cut off at its limit of tokens'],
    });
  });

  test('in a call that the model writes as text is gone on with, and what the call says is the answer', async () => {
    const begun = '{"name": "new_answer", "arguments": {"content": "It is for';
    const { events } = await play(['solo'], {
      answer: () => ({ text: begun, finish: 'length' }),
      present: ({ prompt }) => ({ text: prompt.includes('Your text was cut off') ? 'ty-two."}}' : 'So it is.' }),
    });
    const given = events.flatMap((event) => (event.type === 'answer' ? [event.content] : []));
    expect(given).toEqual(['It is forty-two.']);
  });

  test('is taken at once, and not gone on with, where it has taken all the room that its context has for a reply', async () => {
    const server = await startModelServer(
      teamScript({
        answer: () => ({ text: 'It goes on ', finish: 'length' }),
        present: () => ({ text: 'and on ', finish: 'length' }),
      }),
      { context: 4096 },
    );
    const backend = { type: 'chatcompletion', model: 'small', base_url: server.openai };
    const config = teamOf(['solo'], backend, { max_orchestration_restarts: 0 });
    const result = await running(teamScript()).orchestrate({ task: 'T', config });
    expect(result).toMatchObject({ outcome: 'degraded', warnings: [expect.stringContaining('cut off at its limit')] });
    const [first, second] = server.requests;
    expect(first?.body).toMatchObject({ max_tokens: 2048 });
    expect(second?.prompt).toContain('## Answers');
    await server.close();
  });

  test('does not take the place of the elected one, which is whole', async () => {
    const { result } = await play(['solo'], { present: () => ({ text: 'on and ', finish: 'length' }) });
    expect(result).toMatchObject({
      answer: 'Answer of solo in attempt 1.',
      outcome: 'degraded',
      warnings: ["the final agent's text was cut off at its limit: its answer is delivered as it was voted for"],
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
    expect(result).toMatchObject({ finalAgent: 'a', outcome: 'degraded' });
    const out = events.find((event) => event.type === 'out');
    expect(out).toMatchObject({
      agent: 'b',
      reason: expect.stringMatching(/^3 replies in a row .*: Error: .*new_answer/),
    });
  });
});

describe('a final agent that gives nothing usable', () => {
  const elected = { answer: 'Answer of a in attempt 1.', outcome: 'degraded' };

  test.each([
    ['nothing but words of its instructions', 'This is attempt 4 of 2.'],
    ['of its tools rather than of the task', 'You can choose a different tool.'],
    ['the same over and over', 'It is blue. It is blue. '.repeat(50)],
  ])('as it wrote %s, leaves the elected answer as it is', async (what, text) => {
    const { result } = await play(['a', 'b'], { present: () => ({ text }) });
    expect(result).toMatchObject({
      ...elected,
      warnings: [`the final agent wrote ${what}: its answer is delivered as it was voted for`],
    });
  });

  test('presents in a conversation of its own where it has decided nothing, and nobody is told that it chose', async () => {
    const run = running(teamScript({ decide: () => ({ text: 'Hm.' }) }));
    const handle = await run.start({ task: 'T', config: teamOf(['a', 'b'], openai) });
    expect(await handle.result()).toMatchObject({ answer: 'The final answer, by a.', outcome: 'degraded' });
    const presenting = run.model.requests.at(-1);
    expect(presenting?.prompt).toContain('Now write the final answer');
    expect(presenting?.prompt).not.toContain('Hm.');
    const events = await handle.query<RunEvent[]>('events');
    expect(events).toContainEqual(expect.objectContaining({ type: 'decision', decision: 'submit', isDefault: true }));
    expect(readFileSync(join(run.home, 'logs', 'log.txt'), 'utf8')).not.toContain('chose to SUBMIT');
  });
});

describe('an election in which nobody has voted', () => {
  const votesOnlyWhenAsked = (reply: Scripted) => (request: Seen) =>
    request.prompt.includes('Nobody has voted') ? reply : { text: 'I like them all.' };

  test('is put to the judge’s model once, which chooses, and the run says so', async () => {
    const { events, requests, result } = await play(['a', 'b'], { vote: votesOnlyWhenAsked(vote('agent2')) });
    expect(result).toMatchObject({
      finalAgent: 'b',
      votes: [],
      outcome: 'degraded',
      warnings: ["Nobody has voted: the answer of b was taken, since the judge's model has chosen it"],
    });
    expect(requests.filter(({ prompt }) => prompt.includes('Nobody has voted'))).toHaveLength(1);
    expect(events).toContainEqual(expect.objectContaining({ type: 'selected', agent: 'b', votes: { a: 0, b: 0 } }));
  });

  test.each([
    ['chooses none', { text: 'Both.' }],
    ['fails', { status: 400 }],
  ])('takes the first answer where that model %s', async (_, reply: Scripted) => {
    const { result } = await play(['a', 'b'], { vote: votesOnlyWhenAsked(reply) });
    expect(result).toMatchObject({
      finalAgent: 'a',
      outcome: 'degraded',
      warnings: ['Nobody has voted: the answer of a was taken, since it comes first'],
    });
  });
});
