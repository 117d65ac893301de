import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  alternating,
  noSystemMessage,
  oneCallAtATime,
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
      const one = oneSystemMessage(messages);
      expect(words(one)).toBe(words(messages));
      for (const form of [alternating, noSystemMessage, oneCallAtATime]) expect(words(form(one))).toBe(words(messages));
    }),
  );
});

test('one system message is left, at the beginning, and none where a template has none', () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const one = oneSystemMessage(messages);
      expect(one.findLastIndex(({ role }) => role === 'system')).toBeLessThan(1);
      expect(noSystemMessage(one).map(({ role }) => role)).not.toContain('system');
    }),
  );
});

test('where the user shows an image first, the system message stands before it', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,' } };
  expect(
    noSystemMessage([
      { role: 'system', content: 'S' },
      { role: 'user', content: [image] },
    ]),
  ).toEqual([{ role: 'user', content: [{ type: 'text', text: 'S' }, image] }]);
});

test('each call of several is followed by its result, in their order, and nothing else moves', () => {
  const call = (id: string) => ({ id });
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: id });
  const shown = { role: 'user', content: 'What they have shown' };
  expect(
    oneCallAtATime([
      { role: 'assistant', content: 'Both.', tool_calls: [call('a'), call('b')] },
      result('b'),
      result('a'),
      shown,
      { role: 'assistant', content: null, tool_calls: [call('c')] },
      result('c'),
    ]),
  ).toEqual([
    { role: 'assistant', content: 'Both.', tool_calls: [call('a')] },
    result('a'),
    { role: 'assistant', content: null, tool_calls: [call('b')] },
    result('b'),
    shown,
    { role: 'assistant', content: null, tool_calls: [call('c')] },
    result('c'),
  ]);
});

test('no user message follows another, or a result', () => {
  const roles = alternating([
    { role: 'system', content: 'S' },
    { role: 'user', content: 'Task' },
    { role: 'user', content: 'THOUGHT' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'call_abc' }] },
    { role: 'tool', tool_call_id: 'call_abc', content: '18 C' },
    { role: 'user', content: 'OBSERVATION' },
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

const calling: Message[] = [
  { role: 'system', content: 'You think.' },
  { role: 'user', content: 'How warm is it?' },
  {
    role: 'assistant',
    content: '',
    toolCalls: ['c1', 'c2'].map((id) => ({ id, name: 'look', arguments: '{}' })),
  },
  { role: 'tool', callId: 'c1', content: '18 C' },
  { role: 'tool', callId: 'c2', content: '19 C' },
  { role: 'system', content: 'THOUGHT: what is next?' },
];
const backend: Backend = { type: 'chatcompletion', model: 'm' };
const sentIn = ({ messages = [] }: RawBody): ChatMessage[] => messages as ChatMessage[];
const answer = (response: ServerResponse): void => {
  stream(response, [delta({ content: 'Look it up.' }, 'stop'), '[DONE]']);
  response.end();
};
const hasTwo = (body: RawBody): boolean => sentIn(body).some(({ tool_calls: calls = [] }) => calls.length > 1);
const single = { message: 'This model only supports single tool-calls at once!' };

test('a server of Chat Completions is sent no later system message, which many templates leave out', async () => {
  await using server = await RawServer.start(answer);
  await server.opener()(backend).ask({ messages: calling });
  expect(server.bodies.flatMap(sentIn).map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'tool',
    'user',
  ]);
});

test('a server in the place of OpenAI is sent all system messages, until it refuses later ones', async () => {
  const isLast = (body: RawBody): boolean => sentIn(body).at(-1)?.role === 'system';
  let takesAll = true;
  await using server = await RawServer.start((response, body, { url = '' }) => {
    if (url.endsWith('/responses')) return refuse(response, { message: 'Not Found' }, 404);
    if (isLast(body) && !takesAll)
      return refuse(response, { message: 'System message must be at the beginning.' }, 500);
    answer(response);
  });
  const { ask } = server.opener()({ type: 'openai', model: 'm' });
  await ask({ messages: calling });
  takesAll = false;
  const { notices } = await ask({ messages: calling });
  expect(notices).toEqual(['openai m takes only conversations with one system message: sent so']);
  expect(server.bodies.filter(({ messages }) => messages !== undefined).map(isLast)).toEqual([true, true, false]);
});

describe('a server whose template refuses a form', () => {
  test('is sent the one that it takes, at once and from then on, and this is said once', async () => {
    await using server = await RawServer.start((response, body) => {
      if (hasTwo(body)) return refuse(response, single, 400);
      answer(response);
    });
    const { ask } = server.opener()(backend);
    const first = await ask({ messages: calling });
    const second = await ask({ messages: calling });
    expect(first.message.content).toBe('Look it up.');
    expect(first.notices).toEqual(['chatcompletion m takes only conversations with one call at a time: sent so']);
    expect(second.notices ?? []).toEqual([]);
    expect(server.bodies.map(hasTwo)).toEqual([true, false, false]);
  });

  test('is sent it where the refusal is the first event of a stream', async () => {
    await using server = await RawServer.start((response, body) => {
      if (!hasTwo(body)) return answer(response);
      // LocalAI (sterlp/eclipse-peon-ai#75).
      stream(response, [{ error: { code: 'server_error', ...single } }, '[DONE]']);
      response.end();
    });
    const { message } = await server.opener()(backend).ask({ messages: calling });
    expect(message.content).toBe('Look it up.');
  });

  test('is sent it by all the calls that were under way when it refused the first', async () => {
    const both = Promise.withResolvers<void>();
    await using server = await RawServer.start(async (response, body) => {
      if (server.bodies.length === 2) both.resolve();
      await both.promise;
      if (hasTwo(body)) return refuse(response, single, 400);
      answer(response);
    });
    const { ask } = server.opener()(backend);
    const replies = await Promise.all([ask({ messages: calling }), ask({ messages: calling })]);
    expect(replies.map(({ message }) => message.content)).toEqual(['Look it up.', 'Look it up.']);
  });

  test.each([
    'Conversation roles must alternate user/assistant/user/assistant/...',
    'Only user and assistant roles are supported, with the exception of an initial optional system message!',
    'Invalid message role',
  ])('is told of results in words where it knows none: %s', async (message) => {
    await using server = await RawServer.start((response, body) => {
      if (sentIn(body).some(({ role }) => role === 'tool')) return refuse(response, { message }, 500);
      answer(response);
    });
    const { notices = [] } = await server.opener()(backend).ask({ messages: calling });
    expect(notices.at(-1)).toMatch('takes no tools');
    expect(JSON.stringify(server.bodies.at(-1))).toContain('18 C');
  });

  test('is asked no more where it refuses that as well', async () => {
    await using server = await RawServer.start((response) => {
      refuse(response, { message: 'System role not supported' }, 500);
    });
    await expect(
      server
        .opener()(backend)
        .ask({ messages: calling.slice(0, 2) }),
    ).rejects.toMatchObject({
      type: 'BadRequest',
    });
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
  ['System role not supported', 'no system message'],
  ['Developer instruction is not enabled for models/gemma-3-27b-it', 'no system message'],
  ["Unsupported value: 'messages[0].role' does not support 'system' with this model.", 'no system message'],
  ['Only user and assistant roles are supported!', 'no system message'],
  ['Rate limit exceeded', undefined],
])('%s', (text, want) => expect(templateWant(text)).toBe(want));

test.each([
  'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
  'Missing `reasoning_content` field in the assistant message',
  'The `reasoning_content` in the thinking mode must be passed back to the API.',
])(
  'where every reply is to have a thought, one without gets an empty one, and those of others stay: %s',
  async (message) => {
    await using server = await RawServer.start((response, body) => {
      const replies = (body['messages'] as ChatMessage[]).filter(({ role }) => role === 'assistant');
      if (replies.some((reply) => !reply.reasoning_content)) return refuse(response, { message });
      stream(response, [delta({ content: 'Yes.' }, 'stop'), '[DONE]']);
      return response.end();
    });
    const opaque = { wire: 'chat', data: { extra: {}, reasoning: { field: 'reasoning_content', text: 'Hm.' } } };
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'One.', opaque },
      { role: 'assistant', content: 'Two.' },
    ];
    const { notices } = await server.opener()({ type: 'chatcompletion', model: 'm' }).ask({ messages });
    expect(notices).toEqual(['chatcompletion m takes only conversations with a thought in each reply: sent so']);
    const sent = (server.bodies.at(-1)!['messages'] as ChatMessage[]).map((each) => each.reasoning_content);
    expect(sent).toEqual([undefined, 'Hm.', ' ']);
  },
);

test.each(['Extra inputs are not permitted: messages.1.reasoning_content', 'Unrecognized field reasoning_content'])(
  'a thought that is not taken is left out: %s',
  async (message) => {
    expect(templateWant(message)).toBeUndefined();
  },
);
