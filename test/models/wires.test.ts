import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, ToolSpec } from '../../src/protocol/message.ts';
import { toAnthropicConversation } from '../../src/models/anthropic.ts';
import type { ModelRequest, ModelResponse } from '../../src/models/model.ts';
import { modelOpener } from '../../src/models/open-model.ts';
import { toOpenaiMessages } from '../../src/models/openai.ts';
import { toResponsesInput } from '../../src/models/responses.ts';
import { startModelServer, type Scripted, type Seen } from '../support/model-server.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const tool: ToolSpec = {
  name: 'vote',
  description: 'Vote.',
  parameters: { type: 'object', properties: { agent_id: { type: 'string' } }, required: ['agent_id'] },
};
const user = (content: string): Message => ({ role: 'user', content });

async function ask(
  backend: Backend,
  reply: Scripted,
  request: Partial<ModelRequest> = {},
  settings: Parameters<typeof startModelServer>[1] = {},
) {
  const server = await startModelServer(() => reply, settings);
  const open = modelOpener({
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: server.openai,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: server.anthropic,
    GEMINI_API_KEY: 'k',
    GEMINI_BASE_URL: server.openai,
  });
  const deltas: string[] = [];
  try {
    const response: ModelResponse = await open(backend).complete({
      messages: [user('Hi')],
      tools: [],
      signal: new AbortController().signal,
      onDelta: (delta) => deltas.push(delta),
      ...request,
    });
    return { response, seen: server.requests[0] as Seen, streamed: deltas.join('') };
  } finally {
    await server.close();
  }
}

describe.each(['openai', 'claude', 'gemini', 'chatcompletion'] as const)('%s', (type) => {
  const backend: Backend = { type, model: 'some-model' };

  test('streams text, and counts the provider’s own tokens', async () => {
    const reply = { text: 'Hello, world. '.repeat(20), usage: { input: 100, cached: 40, output: 7 } };
    const { response, streamed } = await ask(backend, reply);
    expect(response.message).toEqual({ role: 'assistant', content: reply.text });
    expect(streamed).toBe(reply.text);
    expect(response.finish).toBe('stop');
    expect(response.usage).toEqual({ inputTokens: 100, cachedInputTokens: 40, outputTokens: 7 });
  });

  test('keeps text beside tool calls, and all parallel calls in order', async () => {
    const calls = [1, 2, 3].map((number) => ({ name: 'vote', arguments: { agent_id: `agent${number}` } }));
    const { response } = await ask(backend, { text: 'I vote.', calls }, { tools: [tool] });
    expect(response.finish).toBe('tool_calls');
    expect(response.message.content).toBe('I vote.');
    expect(response.message.toolCalls?.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual(
      calls.map(({ name, arguments: input }) => [name, input]),
    );
    expect(new Set(response.message.toolCalls?.map(({ id }) => id)).size).toBe(3);
  });

  test('keeps arguments that are no JSON as the model wrote them', async () => {
    const { response } = await ask(
      backend,
      { calls: [{ name: 'vote', arguments: '{"agent_id": ' }] },
      { tools: [tool] },
    );
    expect(response.message.toolCalls?.[0]?.arguments).toBe('{"agent_id": ');
  });

  test('a reply that was cut for length says so', async () => {
    const { response } = await ask(backend, { text: 'Too lo', finish: type === 'claude' ? 'max_tokens' : 'length' });
    expect(response.finish).toBe('length');
  });

  test('an abort ends the request with the signal’s reason', async () => {
    const controller = new AbortController();
    const reason = new Error('not needed any more');
    const pending = ask(backend, { text: 'Late', delay: 30_000 }, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    await expect(pending).rejects.toBe(reason);
  });
});

describe('what goes over the wire', () => {
  const [low, high] = [{ reasoning_effort: 'low' }, { reasoning_effort: 'high' }] as const;
  const summary = { reasoning: { summary: 'auto' } };
  const detailed = { reasoning: { summary: 'detailed' } };
  test.each<[type: Backend['type'], model: string, settings: Partial<Backend>, sent: object]>([
    ['openai', 'gpt-4o', { temperature: 1.5, max_tokens: 9 }, { temperature: 1.5, max_output_tokens: 16 }],
    ['openai', 'gpt-5', { temperature: 1.5, max_tokens: 90 }, { max_output_tokens: 90, ...summary }],
    ['openai', 'gpt-5.6', { reasoning_effort: 'none' }, { reasoning: { effort: 'none' } }],
    ['chatcompletion', 'gpt-4o', { max_tokens: 9 }, { max_tokens: 9 }],
    ['chatcompletion', 'gpt-5', { max_tokens: 9, ...low }, { max_completion_tokens: 9, ...low }],
    ['gemini', 'gemini-2.5-pro', { temperature: 2, ...high }, { temperature: 2, ...high }],
    ['chatcompletion', 'm', { extra_body: { top_k: 4 } }, { top_k: 4 }],
    ['openai', 'gpt-5', { ...low, extra_body: detailed }, { reasoning: { effort: 'low', summary: 'detailed' } }],
    ['claude', 'c', { temperature: 1.5, max_tokens: 9 }, { temperature: 1, max_tokens: 9 }],
    ['claude', 'claude-sonnet-4-6', { temperature: 0.2 }, { temperature: 0.2, max_tokens: 16_000 }],
    ['claude', 'claude-sonnet-5-5', { temperature: 0.2 }, { max_tokens: 16_000 }],
    ['claude', 'claude-opus-5', { temperature: 0.2 }, { max_tokens: 16_000 }],
  ])('settings of %s %s: %o', async (type, model, set, expected) => {
    const backend: Backend = { type, model, ...set };
    const { seen } = await ask(backend, { text: 'x' }, {}, { breaksRules: backend.extra_body !== undefined });
    const settings = ['temperature', 'max_tokens', 'max_completion_tokens', 'max_output_tokens', 'reasoning_effort'];
    const given = Object.entries(seen.body).filter(([key]) => [...settings, 'reasoning', 'top_k'].includes(key));
    expect(Object.fromEntries(given)).toEqual(expected);
  });

  test('Anthropic: a conversation with tool calls gets its tools defined, with tool_choice none', async () => {
    const messages: Message[] = [
      user('Hi'),
      { role: 'assistant', content: '', toolCalls: [{ id: 't1', name: 'vote', arguments: '{}' }] },
      { role: 'tool', callId: 't1', content: 'Recorded.' },
    ];
    const { seen } = await ask({ type: 'claude', model: 'c' }, { text: 'x' }, { messages });
    expect(seen.definedTools).toEqual(['vote']);
    expect(seen.body).toMatchObject({ tool_choice: { type: 'none' } });
  });

  test('Anthropic: leading system texts are blocks, a later one becomes a user message; none is lost', () => {
    const { system, messages } = toAnthropicConversation([
      { role: 'system', content: 'One.' },
      { role: 'system', content: 'Two.' },
      user('Hi'),
      { role: 'system', content: 'Three.' },
    ]);
    expect(system.map(({ text }) => text)).toEqual(['One.', 'Two.']);
    expect(system.map(({ cache_control }) => cache_control !== undefined)).toEqual([false, true]);
    expect(JSON.stringify(messages)).toContain('Three.');
  });

  test('Anthropic: thinking goes back as it came, and to no other provider', async () => {
    const { response } = await ask({ type: 'claude', model: 'c' }, { thinking: 'Hm.', text: 'Yes.' });
    const again = [user('Hi'), response.message, user('Sure?')];
    const [, assistant] = toAnthropicConversation(again).messages;
    expect(assistant?.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'signed Hm.' },
      { type: 'text', text: 'Yes.' },
    ]);
    expect(JSON.stringify([toOpenaiMessages(again), toResponsesInput(again, 'c')])).not.toContain('Hm.');
  });
});

/** A conversation as an orchestration makes it: a reply's tool results come together, before anything else is said. */
const turn = fc.record({
  said: fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
  calls: fc.nat(3),
  text: fc.string(),
});

const conversation = (turns: Array<{ said: string[]; calls: number; text: string }>): Message[][] => {
  let messages: Message[] = [{ role: 'system', content: 'S' }];
  return turns.map(({ said, calls, text }, index) => {
    const sent = [...messages, ...said.map(user)];
    const toolCalls = Array.from({ length: calls }, (_, call) => ({
      id: `${index}-${call}`,
      name: 'vote',
      arguments: '{}',
    }));
    const results = toolCalls.map(({ id }): Message => ({ role: 'tool', callId: id, content: 'ok' }));
    messages = [...sent, { role: 'assistant', content: text, ...(calls > 0 && { toolCalls }) }, ...results];
    return sent;
  });
};

test.each([
  ['chat', (messages: Message[]) => toOpenaiMessages(messages)],
  ['responses', (messages: Message[]) => toResponsesInput(messages, 'm')],
  ['anthropic', (messages: Message[]) => toAnthropicConversation(messages).messages],
])('%s: a call’s messages begin with those of the call before, byte for byte', (_, convert) => {
  fc.assert(
    fc.property(fc.array(turn, { minLength: 2, maxLength: 6 }), (turns) => {
      const calls = conversation(turns).map((messages) => JSON.stringify(convert(messages)).slice(0, -1));
      calls.forEach((call, index) => {
        if (index > 0) expect(call.startsWith(calls[index - 1] ?? '?')).toBe(true);
      });
    }),
  );
});
