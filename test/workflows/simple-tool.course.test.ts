import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { SessionResult, TurnResult } from '../../src/protocol/session.ts';
import { agentOf, call, calls, inTurn, temperatures, toolResults, writeKit } from '../support/agent-script.ts';
import { resultsIn } from '../support/asking.ts';
import type { Script, Scripted, Seen } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';

let script: Script;
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen));
  writeKit(run.home);
});
afterAll(() => run[Symbol.asyncDispose]());

const say = (session: WorkflowHandle, text: string): Promise<TurnResult> =>
  session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] });

describe('the loop simple_tool', () => {
  async function turn(
    replies: Scripted[],
    settings: object = {},
    rest: object = {},
  ): Promise<{ result: SessionResult; requests: Seen[]; events: RunEvent[] }> {
    script = inTurn(replies);
    run.model.requests.length = 0;
    const session = await run.startSession({
      config: agentOf('openai', { simple: settings }, ['kit'], rest),
      text: 'Go.',
    });
    const result = (await session.result()) as SessionResult;
    return { result, requests: [...run.model.requests], events: await session.query<RunEvent[]>('events') };
  }

  test('all calls of a reply are run, their results come in order, and the last text is the answer', async () => {
    const { result, requests } = await turn([
      { text: 'Both.', ...calls(['echo', { text: 'one' }], ['echo', { text: 'two' }]) },
      { text: 'Done.' },
    ]);
    expect(result).toMatchObject({ answer: 'Done.', messages: ['Done.'], outcome: 'answered', turns: 1 });
    expect(toolResults(requests[1]!)).toEqual(['one', 'two']);
    expect(requests[1]?.prompt).toContain('Both.');
    expect(requests[0]?.tools).toEqual(['echo', 'fail', 'throw', 'slow', 'write']);
  });

  test('a reply without any text is told as such, and warned of', async () => {
    const { result } = await turn([{ text: '' }]);
    const warnings = ['agent replied without any text'];
    expect(result).toMatchObject({ answer: '(The model replied without any text.)', outcome: 'answered', warnings });
  });

  test('each failed call raises the temperature by 0.1, and nothing lets it fall', async () => {
    const { requests } = await turn([
      calls(['fail', { text: 'no' }], ['throw', { text: 'broken' }]),
      call('echo', { text: 'fine' }),
      call('nothing_of_that_name', {}),
      call('echo', '{"text": '),
      { text: 'Done.' },
    ]);
    expect(temperatures(requests)).toEqual([0, 0.2, 0.2, 0.3, 0.4]);
    const results = toolResults(requests[4]!);
    expect(results.slice(0, 3)).toEqual(['Error: no', 'Exception: broken', 'fine']);
    expect(results[3]).toContain('No such tool available: nothing_of_that_name');
    expect(results[4]).toContain('not valid JSON');
  });

  test('the temperature stays within what the provider takes', async () => {
    const failing = calls(...Array.from({ length: 25 }, () => ['fail', { text: 'no' }] as [string, object]));
    const { requests, result } = await turn([failing, { text: 'Done.' }]);
    expect(temperatures(requests)).toEqual([0, 2]);
    expect(result.answer).toBe('Done.');
  });

  test('the last thought gets no tools and is told so: max_thoughts 3 gives two rounds of tools', async () => {
    const { requests, result } = await turn(
      [call('echo', { text: 'one' }), call('echo', { text: 'two' }), { text: 'Out of thoughts.' }],
      { max_thoughts: 3, system_prompt: 'You are terse.' },
    );
    expect(requests).toHaveLength(3);
    expect(requests[0]?.prompt).toMatch(/^You are terse\./);
    const withoutTools = requests[2]!.toolChoice === 'none';
    expect(requests[2]?.tools.length === 0 || withoutTools).toBe(true);
    expect(requests[2]?.prompt).toMatch(/no tools are available/);
    expect(result).toMatchObject({ answer: 'Out of thoughts.', outcome: 'limit' });
  });

  test('the last three replies with tools are announced, and what is not run is named to the agent and in the warnings', async () => {
    const echo = call('echo', { text: 'one' });
    const echoes = Array<Scripted>(10).fill(echo);
    script = inTurn([...echoes, call('fail', { text: 'two' }, 'Half.'), { text: 'Whole.' }]);
    run.model.requests.length = 0;
    const session = await run.startSession({ config: agentOf('openai', { simple: { max_thoughts: 11 } }, ['kit']) });
    expect(await say(session, 'Go.')).toMatchObject({
      answer: 'Half.',
      warnings: ['agent had no reply with tools left, so that these were not run: fail'],
    });
    const told = run.model.requests.map(
      ({ prompt }) => [...prompt.matchAll(/Only (.*?) may (?:still )?use tools/g)].at(-1)?.[1],
    );
    expect(told.slice(6, 10)).toEqual([undefined, '3 more replies', '2 more replies', 'your next reply']);
    await say(session, 'And?');
    expect(toolResults(run.model.requests[11]!).at(-1)).toMatch(/^Error: fail was not run/);
    await session.signal('close');
    await session.result();
  });

  test('a last thought that calls tools all the same gives what it said before, never nothing', async () => {
    const { result } = await turn([call('echo', { text: 'one' }, 'Half of it.'), call('echo', { text: 'two' })], {
      max_thoughts: 2,
    });
    expect(result).toMatchObject({ answer: 'Half of it.', outcome: 'limit' });
    const { result: other } = await turn([call('echo', { text: 'one' })], { max_thoughts: 1 });
    expect(other.answer).toContain('max_thoughts');
  });

  test('an answer that was cut off is continued, and named in the result if it never ends', async () => {
    const cut = { text: 'on and ', finish: 'length' };
    const { result } = await turn([cut, { text: 'off.' }]);
    expect(result).toMatchObject({ answer: 'on and off.', outcome: 'answered', warnings: [] });
    const { result: endless } = await turn([cut, cut, cut, cut]);
    expect(endless).toMatchObject({
      answer: 'on and on and on and on and ',
      outcome: 'limit',
      warnings: ['the answer was cut off at its limit of tokens'],
    });
  });

  test('a model that calls a tool instead of going on with its text is told that it was not run, and the next turn goes on', async () => {
    const cut = { text: 'on and ', finish: 'length' };
    script = inTurn([cut, call('echo', { text: 'off' }), { text: 'Still here.' }]);
    run.model.requests.length = 0;
    const session = await run.startSession({ config: agentOf('openai', { simple: {} }, ['kit']) });
    expect(await say(session, 'Talk.')).toMatchObject({ answer: 'on and ' });
    expect(await say(session, 'And now?')).toMatchObject({ answer: 'Still here.' });
    expect(toolResults(run.model.requests[2]!)).toEqual([expect.stringMatching(/^Error: echo was not run, since/)]);
  });

  test('with parallel the calls of a reply run side by side, and their results keep the order of the calls', async () => {
    const { events, requests } = await turn(
      [calls(['slow', { text: 'first', ms: 600 }], ['slow', { text: 'second', ms: 1 }]), { text: 'Done.' }],
      { parallel: true },
    );
    expect(toolResults(requests[1]!)).toEqual(['first', 'second']);
    const types = events.map(({ type }) => type).filter((type) => type.startsWith('tool'));
    expect(types).toEqual(['tool', 'tool', 'tool_ended', 'tool_ended']);
  });

  test('the whole conversation is kept from turn to turn, calls and results too', async () => {
    script = inTurn([call('echo', { text: 'blue' }), { text: 'It is blue.' }, { text: 'Still blue.' }]);
    run.model.requests.length = 0;
    const session = await run.startSession({ config: agentOf('openai', { simple: {} }, ['kit']) });
    await say(session, 'Which color?');
    expect(await say(session, 'And now?')).toMatchObject({ answer: 'Still blue.', messages: ['Still blue.'], turn: 2 });
    const last = run.model.requests[2]!;
    expect(toolResults(last)).toEqual(['blue']);
    for (const text of ['Which color?', 'It is blue.', 'And now?']) expect(last.prompt).toContain(text);
    expect(temperatures([last])).toEqual([0]);
    await session.signal('close');
    await session.result();
  });

  test('a model that fails for good fails the turn with the reason, and the conversation goes on without it', async () => {
    script = inTurn([{ status: 400 }, { text: 'Better.' }]);
    run.model.requests.length = 0;
    const session = await run.startSession({ config: agentOf('openai', { simple: {} }) });
    const failure = await say(session, 'A bad one.').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WorkflowUpdateFailedError);
    expect((failure as Error & { cause: Error }).cause.message).toContain('scripted 400');
    expect(await say(session, 'A good one.')).toMatchObject({ answer: 'Better.' });
    expect(run.model.requests[1]?.prompt).not.toContain('A bad one.');
    await session.signal('close');
    await session.result();
  });

  test('a budget that is spent ends the turn with what there is, and says so', async () => {
    const { result, events } = await turn(
      [call('echo', { text: 'one' }, 'So far so good.'), { text: 'Never asked.' }],
      {},
      { budget: { calls: 1 } },
    );
    expect(result).toMatchObject({ answer: 'So far so good.', outcome: 'budget' });
    expect(events.filter((event) => event.type === 'final')).toHaveLength(1);
  });

  test('an agent alone may ask the person, and is shown the answer', async () => {
    script = inTurn([call('ask_others', { question: 'Which color?' }), { text: 'Blue it is.' }]);
    run.model.requests.length = 0;
    const session = await run.startSession({
      config: agentOf('openai', { simple: {} }, [], { coordination: { broadcast: 'human' } }),
      text: 'Paint it.',
    });
    await expect
      .poll(async () => session.query<PendingQuestion[]>('pendingQuestions'))
      .toMatchObject([{ from: 'agent', question: 'Which color?' }]);
    await session.signal('answer', { answer: 'Blue.' });
    expect(await session.result()).toMatchObject({
      answer: 'Blue it is.',
      humanQa: [{ question: 'Which color?', answer: 'Blue.' }],
    });
    expect(resultsIn(run.model.requests[1]!)).toMatchObject([{ status: 'complete' }]);
  });
});
