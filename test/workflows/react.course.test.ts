import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { SessionResult } from '../../src/protocol/session.ts';
import { agentOf, call, calls, inTurn, temperatures, toolResults, writeKit } from '../support/agent-script.ts';
import type { Script, Scripted, Seen } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';

let script: Script;
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen));
  writeKit(run.home);
});
afterAll(() => run[Symbol.asyncDispose]());

const think = (text: string): Scripted => ({ text });
const final = (text: string): Scripted => ({ text: `FINAL_ANSWER: ${text}` });

/** The marks that messages begin with. */
const marks = (messages: string[]): string[] =>
  messages.map((message) => /^\S+ \*\*([A-Z ]+)/.exec(message)?.[1]?.trim() ?? message);

describe('the loop react', () => {
  async function turn(
    replies: Scripted[],
    settings: object = {},
  ): Promise<{ result: SessionResult; requests: Seen[]; events: RunEvent[] }> {
    script = inTurn(replies);
    run.model.requests.length = 0;
    const session = await run.startSession({
      config: agentOf('claude', { react: settings }, ['kit']),
      text: 'How warm is it?',
    });
    const result = (await session.result()) as SessionResult;
    return { result, requests: [...run.model.requests], events: await session.query<RunEvent[]>('events') };
  }
  const offered = ({ tools, toolChoice }: Seen): boolean => tools.length > 0 && toolChoice !== 'none';

  test('a final answer that was cut off is continued', async () => {
    const cut = { ...final('18 C, and '), finish: 'max_tokens' };
    const { result } = await turn([think('Hm.'), cut, { text: 'sunny.' }]);
    expect(result).toMatchObject({ answer: '18 C, and sunny.', outcome: 'answered', warnings: [] });
  });

  test('an action that only repeats what it was told of the marker is no final answer', async () => {
    const told = 'I take that step, or reply with FINAL_ANSWER: and the complete answer.';
    const { result } = await turn([think('Hm.'), { text: told }, think('Hm.'), final('18 C')]);
    expect(result).toMatchObject({ answer: '18 C', outcome: 'answered' });
  });

  test('thought, action, observation, until an action is final; tools are offered to actions only', async () => {
    const { result, requests } = await turn([
      think('I need the weather.'),
      call('echo', { text: '18 C' }, 'Looking it up.'),
      think('It is 18 C.'),
      think('Enough.'),
      final('18 C'),
    ]);
    expect(result).toMatchObject({ answer: '18 C', outcome: 'answered' });
    expect(temperatures(requests)).toEqual([0.7, 0.3, 0.7, 0.7, 0.3]);
    expect(requests.map(offered)).toEqual([false, true, false, false, true]);
    expect(toolResults(requests[2]!)).toEqual(['18 C']);
    expect(marks(result.messages)).toEqual(
      [
        'THINKING...',
        'THOUGHT:',
        'TAKING ACTION...',
        'ACTION:',
        'EXECUTING TOOL:',
        'TOOL SUCCESS:',
        'OBSERVING RESULTS...',
        'OBSERVATION:',
        'THINKING...',
        'THOUGHT:',
        'TAKING ACTION...',
        'FINAL ANSWER:',
      ].map((mark) => mark.replace(/[.:]+$/, '')),
    );
    expect(result.messages.at(-1)).toBe('✅ **FINAL ANSWER:** 18 C');
  });

  test('each indicator is an event the moment it happens, and the last one is the answer', async () => {
    const { result, events } = await turn([think('Easy.'), final('42')]);
    const said = events.flatMap((event) => (event.type === 'says' ? [event] : []));
    expect(said.map(({ text }) => text)).toEqual(result.messages);
    expect(said.map(({ last }) => last)).toEqual([false, false, false, true]);
    expect(events.findIndex(({ type }) => type === 'says')).toBeLessThan(
      events.findIndex(({ type }) => type === 'thinking'),
    );
  });

  test('without show_reasoning there is only the answer', async () => {
    const { result } = await turn([think('Easy.'), final('42')], { show_reasoning: false });
    expect(result.messages).toEqual(['42']);
  });

  test('a failure and an exception are told apart, for the agent and for the person', async () => {
    const { result, requests } = await turn([
      think('Try.'),
      calls(['fail', { text: 'rate limited' }], ['throw', { text: 'socket closed' }]),
      think('Bad.'),
      think('Give up.'),
      final('unknown'),
    ]);
    expect(toolResults(requests[2]!)).toEqual(['Error: rate limited', 'Exception: socket closed']);
    expect(result.messages).toContain('❌ **TOOL ERROR:** fail failed: Error: rate limited');
    expect(result.messages).toContain('💥 **TOOL EXCEPTION:** throw threw: Exception: socket closed');
  });

  test('the marker is looked for in actions only, and calls beside it are not run', async () => {
    const { result, requests, events } = await turn([
      { text: 'FINAL_ANSWER: too early' },
      call('write', { text: 'x' }, 'FINAL_ANSWER: done'),
    ]);
    expect(requests).toHaveLength(2);
    expect(result.answer).toBe('done');
    expect(events.filter(({ type }) => type === 'tool')).toEqual([]);
  });

  test('an action without call or answer leads back to a thought', async () => {
    const { requests } = await turn([think('Hm.'), { text: 'Let me see.' }, think('Now.'), final('42')]);
    expect(requests.map(offered)).toEqual([false, true, false, true]);
  });

  test('max_iterations counts whole cycles; then one more call sums up, without tools', async () => {
    const { result, requests } = await turn(
      [
        think('One.'),
        call('echo', { text: 'a' }),
        think('Seen.'),
        think('Two.'),
        call('echo', { text: 'b' }),
        think('Seen.'),
        { text: 'The best I have.' },
      ],
      { max_iterations: 2, max_iterations_prompt: 'All {max_iterations} are used.' },
    );
    expect(requests).toHaveLength(7);
    expect(requests[6]?.prompt).toContain('All 2 are used.');
    expect(offered(requests[6]!)).toBe(false);
    expect(result).toMatchObject({ answer: 'The best I have.', outcome: 'limit' });
    expect(marks(result.messages)).toContain('MAX ITERATIONS REACHED');
  });

  test('a best answer that only repeats a prompt is none, and is told as such', async () => {
    const repeated = 'THOUGHT: what do you know, what is missing, and what is the next step? Do not act yet.';
    const replies = [think(repeated), think(repeated), { text: repeated }];
    const { result } = await turn(replies, { max_iterations: 1 });
    const answer = '(The model gave nothing but words of its instructions.)';
    expect(result).toMatchObject({ answer, outcome: 'limit', warnings: ['agent gave no answer'] });
  });

  test('an answer in words that a configuration gives to choose from is one', async () => {
    const action_prompt =
      'Reply with FINAL_ANSWER: Route to the billing team, or with FINAL_ANSWER: Route to the sales team';
    const { result, requests } = await turn([think('Billing.'), final('Route to the billing team')], { action_prompt });
    expect(requests).toHaveLength(2);
    expect(result).toMatchObject({ answer: 'Route to the billing team', outcome: 'answered', warnings: [] });
  });

  test('a final answer in the last cycle is the answer: nothing sums it up', async () => {
    const { result, requests } = await turn([think('One.'), final('the real one')], { max_iterations: 1 });
    expect(requests).toHaveLength(2);
    expect(result).toMatchObject({ answer: 'the real one', outcome: 'answered' });
  });

  test('a model call that fails leads to one that recovers, told the provider’s own words', async () => {
    const { result, requests } = await turn(
      [think('Try.'), { status: 400, errorBody: '{"error":{"message":"context too long"}}' }, { text: 'Sorry.' }],
      { error_prompt: 'It went wrong: <{error}>' },
    );
    expect(requests).toHaveLength(3);
    expect(requests[2]?.prompt).toMatch(/It went wrong: <Error code: 400 - .*context too long.*>/);
    expect(temperatures(requests)).toEqual([0.7, 0.3, 0.3]);
    expect(result).toMatchObject({ answer: 'Sorry.', outcome: 'limit' });
    expect(marks(result.messages)).toContain('ERROR OCCURRED');
  });

  test('all prompts and the temperature of reasoning can be replaced, and each is in its place', async () => {
    const { requests } = await turn(
      [think('Hm.'), call('echo', { text: 'a' }), think('Ah.'), think('So.'), final('a')],
      {
        system_prompt: 'SYS',
        thought_prompt: 'THINK!',
        action_prompt: 'ACT!',
        observation_prompt: 'OBSERVE!',
        reasoning_temperature: 0.9,
      },
    );
    expect(requests[0]?.prompt).toMatch(/^SYS\nHow warm is it\?\n.*THINK!$/);
    expect(requests[1]?.prompt).toMatch(/ACT!$/);
    expect(requests[2]?.prompt).toMatch(/OBSERVE!$/);
    expect(temperatures(requests)).toEqual([0.9, 0.3, 0.9, 0.9, 0.3]);
  });
});
