import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { toAnthropicConversation } from '../../src/models/anthropic.ts';
import type { ModelRequest } from '../../src/models/model.ts';
import { modelOpener } from '../../src/models/open-model.ts';
import type { Message, ToolSpec } from '../../src/protocol/message.ts';
import type { ToolChoice } from '../../src/protocol/model-call.ts';
import type { AnthropicBody } from '../support/rules/anthropic-parameters.ts';
import { startModelServer, type Scripted, type Seen } from '../support/model-server.ts';
import type { Backend, Effort } from '../../src/protocol/settings.ts';

const user = (content: string): Message => ({ role: 'user', content });
const tool = (name: string, properties: Record<string, unknown> = { text: { type: 'string' } }): ToolSpec => ({
  name,
  description: `Do ${name}.`,
  parameters: { type: 'object', properties, required: Object.keys(properties) },
});

/** A conversation with a model whose server enforces the rules. */
async function talk(model: string, replies: Scripted[], keys: Partial<Backend> = {}) {
  let next = 0;
  const server = await startModelServer(() => replies[next++] ?? { text: 'ok' });
  const claude = modelOpener(environmentOf(server.anthropic))({ type: 'claude', model, ...keys });
  const say = (messages: Message[], rest: Partial<ModelRequest> = {}) =>
    claude.complete({ messages, tools: [], signal: new AbortController().signal, onDelta: () => {}, ...rest });
  return { say, server };
}

const environmentOf = (address: string) => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: address });

async function sent(
  model: string,
  { messages = [user('Hi')], ...rest }: Partial<ModelRequest> = {},
  keys: Partial<Backend> = {},
): Promise<{ body: AnthropicBody; seen: Seen }> {
  const { say, server } = await talk(model, [], keys);
  try {
    await say(messages, rest);
    const [seen] = server.requests;
    return { body: seen?.body as AnthropicBody, seen: seen as Seen };
  } finally {
    await server.close();
  }
}

describe('tools stay defined, byte for byte, and only the choice changes', () => {
  const tools = [tool('vote'), tool('new_answer')];

  test.each<[ToolChoice | undefined, string, object]>([
    [undefined, 'claude-sonnet-5-5', { type: 'auto' }],
    ['none', 'claude-sonnet-5-5', { type: 'none' }],
    ['required', 'claude-sonnet-5-5', { type: 'auto' }],
    [{ oneOf: ['vote'] }, 'claude-opus-5', { type: 'auto' }],
    ['required', 'claude-opus-4-7', { type: 'any' }],
    [{ oneOf: ['vote'] }, 'claude-opus-4-7', { type: 'tool', name: 'vote' }],
    [{ oneOf: ['vote', 'new_answer'] }, 'claude-opus-4-7', { type: 'any' }],
  ])('%j of %s', async (toolChoice, model, choice) => {
    const { body } = await sent(model, { tools, ...(toolChoice && { toolChoice }) });
    expect(body.tool_choice).toEqual(choice);
    expect(body.tools).toEqual((await sent(model, { tools })).body.tools);
  });

  test('a choice is not forced on a model that was told to think', async () => {
    const { body } = await sent('claude-opus-4-7', { tools, toolChoice: 'required' }, { reasoning_effort: 'high' });
    expect(body.tool_choice).toEqual({ type: 'auto' });
  });
});

describe('thinking and effort', () => {
  const stale = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };
  const adaptive = { type: 'adaptive', display: 'summarized' };

  test.each<[string, Effort | undefined, object]>([
    ['claude-sonnet-5-5', undefined, { thinking: { ...adaptive, ...stale } }],
    ['claude-sonnet-5-5', 'high', { thinking: { ...adaptive, ...stale }, output_config: { effort: 'high' } }],
    ['claude-sonnet-5-5', 'none', { thinking: { type: 'between_tools' }, output_config: { effort: 'low' } }],
    ['claude-haiku-5-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-opus-5-5', 'low', { thinking: { ...adaptive, ...stale }, output_config: { effort: 'low' } }],
    ['claude-opus-5', undefined, { thinking: adaptive }],
    ['claude-opus-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-opus-4-7', undefined, {}],
    ['claude-opus-4-7', 'xhigh', { thinking: adaptive, output_config: { effort: 'xhigh' } }],
    ['claude-opus-4-7', 'none', {}],
    ['claude-sonnet-4-6', 'high', { thinking: adaptive, output_config: { effort: 'high' } }],
    ['claude-opus-4', 'xhigh', { thinking: { type: 'enabled', budget_tokens: 16_000 }, max_tokens: 32_000 }],
    ['claude-haiku-4-5-20251001', 'low', { thinking: { type: 'enabled', budget_tokens: 2048 }, max_tokens: 18_048 }],
    ['claude-haiku-4-5-20251001', undefined, {}],
    ['scripted-1', undefined, {}],
  ])('%s, %s', async (model, effort, expected) => {
    const { body, seen } = await sent(model, {}, { reasoning_effort: effort });
    const { thinking, output_config, max_tokens } = body;
    expect(JSON.parse(JSON.stringify({ thinking, output_config, max_tokens }))).toEqual({
      max_tokens: 16_000,
      ...expected,
    });
    const isBinding = JSON.stringify(thinking ?? {}).includes('block_binding');
    expect(seen.headers['anthropic-beta']).toBe(isBinding ? 'thinking-binding-controls-2026-08-01' : undefined);
  });

  test('a temperature goes only to models that take one and do not think', async () => {
    expect((await sent('claude-sonnet-4-6', {}, { temperature: 1.5 })).body['temperature']).toBe(1);
    expect(
      (await sent('claude-sonnet-4-6', {}, { temperature: 0.2, reasoning_effort: 'low' })).body,
    ).not.toHaveProperty('temperature');
    expect((await sent('claude-opus-4-7', {}, { temperature: 0.2 })).body).not.toHaveProperty('temperature');
  });

  test('a limit is never over the model’s own', async () => {
    expect((await sent('claude-haiku-4-5', {}, { max_tokens: 200_000 })).body['max_tokens']).toBe(64_000);
  });

  test('keys of `extra_body` are part of the body', async () => {
    expect((await sent('claude-opus-5', {}, { extra_body: { service_tier: 'auto' } })).body['service_tier']).toBe(
      'auto',
    );
  });
});

test.each<[string, RegExp]>([
  ['thinking.adaptive.block_binding: Extra inputs are not permitted', /block_binding/],
  ['Unexpected value(s) `thinking-binding-controls-2026-08-01` for the `anthropic-beta` header', /block_binding/],
  ['thinking.adaptive.display: Extra inputs are not permitted', /"display"/],
  ['cache_control: Extra inputs are not permitted', /"cache_control":\{"type":"ephemeral"\},"stream"/],
  ['The compiled grammar is too large.', /"strict":true/],
])('a server that refuses by “%s” is asked without it', async (message, parameter) => {
  const errorBody = JSON.stringify({ error: { type: 'invalid_request_error', message } });
  const { say, server } = await talk('claude-sonnet-5-5', [{ status: 400, errorBody }]);
  const { notices } = await say([user('Hi')], { tools: [tool('vote')] });
  await server.close();
  const [first, second] = server.requests;
  expect(first?.raw).toMatch(parameter);
  expect(second?.raw).not.toMatch(parameter);
  expect(second?.headers['anthropic-beta'] !== undefined).toBe(second?.raw.includes('block_binding'));
  expect(notices).toEqual([expect.stringMatching(/^claude claude-sonnet-5-5 does not take .*: left out$/)]);
});

describe('thoughts', () => {
  const tools = [tool('vote')];
  const replies = [
    { thinking: 'First.', calls: [{ name: 'vote', arguments: { text: 'a' } }] },
    { thinking: 'Second.', text: 'Done.' },
  ];

  test('go back as they came through tool calls, a choice that changes, and what follows', async () => {
    const { say, server } = await talk('claude-sonnet-5-5', replies);
    const messages = [{ role: 'system', content: 'S' } as const, user('Hi')];
    const first = (await say(messages, { tools })).message;
    const result: Message = { role: 'tool', callId: first.toolCalls?.[0]?.id ?? '', content: '' };
    const asked = [...messages, first, result];
    const second = (await say(asked, { tools, toolChoice: 'none' })).message;
    await say([...asked, second, user('Sure?')], { tools, toolChoice: 'auto' });
    await server.close();
    expect([server.thinking.dropped, server.thinking.kept.length]).toEqual([[], 3]);
  });

  const step = fc.record({
    said: fc.constantFrom('', ' ', 'Go on.'),
    toolChoice: fc.constantFrom<ToolChoice>('auto', 'none', 'required', { oneOf: ['vote'] }),
    reply: fc.record({
      thinking: fc.string({ minLength: 1 }),
      text: fc.constantFrom('', '\n\n', 'Words.'),
      calls: fc.nat(2),
    }),
    result: fc.constantFrom('', 'ok'),
  });

  test('none is lost in any conversation whose tools stay the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const scripted = steps.map(({ reply: { calls, ...rest } }) => ({
          ...rest,
          calls: Array.from({ length: calls }, () => ({ name: 'vote', arguments: { text: 'a' } })),
        }));
        const { say, server } = await talk('claude-opus-5-5', scripted);
        const messages: Message[] = [{ role: 'system', content: 'S' }];
        for (const { said, toolChoice, result } of steps) {
          messages.push(user(said));
          const { message } = await say(messages, { tools, toolChoice });
          const results = (message.toolCalls ?? []).map(({ id }): Message => ({
            role: 'tool',
            callId: id,
            content: result,
          }));
          messages.push(message, ...results);
        }
        await server.close();
        const kept = (steps.length * (steps.length - 1)) / 2;
        expect([server.thinking.dropped, server.thinking.kept.length]).toEqual([[], kept]);
      }),
      { numRuns: 40 },
    );
  });

  test('that are behind other words are left out, and the call goes on with a notice', async () => {
    const { say, server } = await talk('claude-sonnet-5-5', replies);
    const first = (await say([user('Hi')], { tools })).message;
    const result: Message = { role: 'tool', callId: first.toolCalls?.[0]?.id ?? '', content: 'ok' };
    await say([user('Hello'), first, result], { tools });
    await server.close();
    expect(server.thinking).toEqual({ kept: [], dropped: ['messages.1.content.0: prefix_binding_mismatch'] });
  });

  test('of another model stay away, of the same model go back', () => {
    const blocks = [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'Yes.' },
    ];
    const reply = (data: unknown): Message[] => [
      user('Hi'),
      { role: 'assistant', content: 'Yes.', opaque: { wire: 'anthropic', data } },
      user('Sure?'),
    ];
    const content = (data: unknown) =>
      toAnthropicConversation(reply(data), new Map(), 'claude-opus-5').messages[1]?.content;
    expect(content({ model: 'claude-opus-5', blocks })).toEqual(blocks);
    expect(content({ model: 'claude-sonnet-5-5', blocks })).toEqual(blocks.slice(1));
    expect(content({ model: 'claude-sonnet-5-5', blocks: blocks.slice(0, 1) })).toEqual([
      { type: 'text', text: '(no reply)' },
    ]);
    expect(content({ model: 'claude-opus-5', blocks: blocks.slice(0, 1) })).toEqual([
      blocks[0],
      { type: 'text', text: '(no reply)' },
    ]);
  });
});

test('a call that was written as text stands behind what the model has sent', () => {
  const blocks = [
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
    { type: 'tool_use', id: 'a', name: 'one', input: {} },
  ];
  const call = (id: string, name: string) => ({ id, name, arguments: '{"x": 1}' });
  const reply: Message = {
    role: 'assistant',
    content: '',
    toolCalls: [call('a', 'one'), call('written_2', 'two')],
    opaque: { wire: 'anthropic', data: { model: 'claude-opus-5', blocks } },
  };
  const sent = toAnthropicConversation([user('Hi'), reply], new Map(), 'claude-opus-5').messages[1]?.content;
  expect(sent).toEqual([...blocks, { type: 'tool_use', id: 'written_2', name: 'two', input: { x: 1 } }]);
});

test('a call beside thoughts has the id that its result names, whatever characters the server gave it', () => {
  const reply: Message = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'functions.vote:0', name: 'vote', arguments: '{"x": 1}' }],
    opaque: {
      wire: 'anthropic',
      data: {
        model: 'claude-opus-5',
        blocks: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'tool_use', id: 'functions.vote:0', name: 'vote', input: { x: 1 } },
        ],
      },
    },
  };
  const result: Message = { role: 'tool', callId: 'functions.vote:0', content: 'Recorded.' };
  const [, said, told] = toAnthropicConversation([user('Hi'), reply, result], new Map(), 'claude-opus-5').messages;
  expect(said?.content).toMatchObject([{ type: 'thinking' }, { type: 'tool_use', id: 'functions_vote_0' }]);
  expect(told?.content).toMatchObject([{ type: 'tool_result', tool_use_id: 'functions_vote_0' }]);
});

test('the rest of a conversation is not copied for each of its results, of which a long one has thousands', () => {
  const turn = (id: string): Message[] => [
    { role: 'assistant', content: '', toolCalls: [{ id, name: 'do', arguments: '{}' }] },
    { role: 'tool', callId: id, content: 'Done.' },
  ];
  const messages = [user('Go on.'), ...Array.from({ length: 100 }, (_, index) => turn(`call_${index}`)).flat()];
  const slice = vi.spyOn(Array.prototype, 'slice');
  toAnthropicConversation(messages);
  const copies = slice.mock.calls.length;
  slice.mockRestore();
  expect(copies).toBeLessThan(10);
});

describe('what the API refuses is never sent', () => {
  const text = fc.constantFrom('', ' ', '\n\t', 'Words.', ' words ');
  const turn = fc.record({ said: fc.array(text, { maxLength: 2 }), text, calls: fc.nat(2), results: text });
  const conversation = (turns: Array<{ said: string[]; text: string; calls: number; results: string }>): Message[] =>
    turns.flatMap(({ said, text: content, calls, results }, index) => {
      const toolCalls = Array.from({ length: calls }, (_, call) => ({
        id: `functions.vote:${index}.${call}`,
        name: 'vote',
        arguments: '{',
      }));
      return [
        ...said.map(user),
        { role: 'assistant' as const, content, ...(calls > 0 && { toolCalls }) },
        ...toolCalls.map(({ id }): Message => ({ role: 'tool', callId: id, content: results })),
      ];
    });

  test('whatever a conversation holds: blank texts, foreign ids, unreadable arguments, no question first or last', async () => {
    const { say, server } = await talk('claude-opus-5', []);
    await fc.assert(
      fc.asyncProperty(text, fc.array(turn, { maxLength: 4 }), async (system, turns) => {
        await say([{ role: 'system', content: system }, ...conversation(turns)]);
      }),
      { numRuns: 60 },
    );
    await server.close();
    expect(server.refused).toEqual([]);
  });

  test('tools are strict where their schema can be, and all others are offered as they are', async () => {
    const bounded = tool('score', { value: { type: 'number', minimum: 0 } });
    const free = tool('free', { any: { type: 'object' } });
    const list = tool('list', { ids: { type: 'array', items: { type: 'string', enum: ['a'] } } });
    const { body } = await sent('claude-sonnet-5-5', { tools: [tool('vote'), bounded, free, list] });
    expect(body.tools?.map(({ name, strict }) => [name, strict])).toEqual([
      ['vote', true],
      ['score', undefined],
      ['free', undefined],
      ['list', true],
    ]);
    expect((await sent('claude-3-7-sonnet', { tools: [tool('vote')] })).body.tools?.[0]).not.toHaveProperty('strict');
  });
});
