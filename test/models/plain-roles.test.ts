import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  alternating,
  oneSystemMessage,
  shortCallIds,
  templateWant,
  type ChatMessage,
} from '../../src/models/plain-roles.ts';
import type { Message } from '../../src/protocol/message.ts';
import { delta, RawServer, refuse, stream, type RawBody } from '../support/raw-server.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const said = fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content: fc.string({ minLength: 1 }) });
const conversations = fc.array(said, { maxLength: 12 });
const words = (messages: ChatMessage[]): string =>
  messages
    .map(({ content }) => String(content))
    .join('')
    .replaceAll('\n', '');

test('whatever form a conversation is given, no word of it is lost', () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      for (const form of [oneSystemMessage, alternating]) expect(words(form(messages))).toBe(words(messages));
    }),
  );
});

test('one system message is left, at the beginning', () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      expect(oneSystemMessage(messages).findLastIndex(({ role }) => role === 'system')).toBeLessThan(1);
    }),
  );
});

test('no user message follows another, or a result', () => {
  const roles = alternating([
    { role: 'system', content: 'S' },
    { role: 'user', content: 'Task' },
    { role: 'system', content: 'THOUGHT' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'call_abc' }] },
    { role: 'tool', tool_call_id: 'call_abc', content: '18 C' },
    { role: 'system', content: 'OBSERVATION' },
  ]).map(({ role, content }) => [role, content]);
  expect(roles).toEqual([
    ['system', 'S'],
    ['user', 'Task\n\nTHOUGHT'],
    ['assistant', ''],
    ['tool', '18 C\n\nOBSERVATION'],
  ]);
});

test('short ids of calls stay those of their results', () => {
  const [call, result] = shortCallIds([
    { role: 'assistant', tool_calls: [{ id: 'toolu_01' }] },
    { role: 'tool', tool_call_id: 'toolu_01', content: '' },
  ]);
  expect(call?.tool_calls).toEqual([{ id: 'c00000001' }]);
  expect(result?.tool_call_id).toBe('c00000001');
});

describe('a server whose template refuses a form', () => {
  const messages: Message[] = [
    { role: 'system', content: 'You think.' },
    { role: 'user', content: 'How warm is it?' },
    { role: 'system', content: 'THOUGHT: what is next?' },
  ];
  const backend: Backend = { type: 'chatcompletion', model: 'm' };
  const hasLaterSystem = ({ messages: sent = [] }: RawBody): boolean =>
    (sent as ChatMessage[]).slice(1).some(({ role }) => role === 'system');

  test('is sent the one that it takes, at once and from then on, and this is said once', async () => {
    await using server = await RawServer.start((response, body) => {
      // llama.cpp with the template of Qwen 3.5, tried on 2026-11-21.
      if (hasLaterSystem(body)) return refuse(response, { message: 'System message must be at the beginning.' }, 500);
      stream(response, [delta({ content: 'Look it up.' }, 'stop'), '[DONE]']);
      response.end();
    });
    const { ask } = server.opener()(backend);
    const first = await ask({ messages });
    const second = await ask({ messages });
    expect(first.message.content).toBe('Look it up.');
    expect(first.notices).toEqual(['chatcompletion m takes only conversations with one system message: sent so']);
    expect(second.notices ?? []).toEqual([]);
    expect(server.bodies.map(hasLaterSystem)).toEqual([true, false, false]);
  });

  test('is sent it by all the calls that were under way when it refused the first', async () => {
    const both = Promise.withResolvers<void>();
    await using server = await RawServer.start(async (response, body) => {
      if (server.bodies.length === 2) both.resolve();
      await both.promise;
      if (hasLaterSystem(body)) return refuse(response, { message: 'System message must be at the beginning.' }, 500);
      stream(response, [delta({ content: 'Look it up.' }, 'stop'), '[DONE]']);
      response.end();
    });
    const { ask } = server.opener()(backend);
    const replies = await Promise.all([ask({ messages }), ask({ messages })]);
    expect(replies.map(({ message }) => message.content)).toEqual(['Look it up.', 'Look it up.']);
  });

  test('is asked twice at most where it refuses that as well', async () => {
    await using server = await RawServer.start((response) => {
      refuse(response, { message: 'System message must be at the beginning.' }, 500);
    });
    await expect(server.opener()(backend).ask({ messages })).rejects.toMatchObject({ type: 'BadRequest' });
    expect(server.bodies).toHaveLength(2);
  });
});

test.each([
  ['System message must be at the beginning.', 'one system message'],
  ['Conversation roles must alternate user/assistant/user/assistant/...', 'alternating roles'],
  [
    'After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.',
    'alternating roles',
  ],
  ['Tool call IDs should be alphanumeric strings with length 9!', 'call ids of nine characters'],
  ['Rate limit exceeded', undefined],
])('%s', (text, want) => expect(templateWant(text)).toBe(want));
