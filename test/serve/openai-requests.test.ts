import { expect, test } from 'vitest';
import { issue } from '../../src/serve/access.ts';
import { createApp } from '../../src/serve/app.ts';
import { entries, requestIn } from '../../src/serve/openai/conversation.ts';
import type { Served } from '../../src/serve/served.ts';

const owner = 'the-token-of-an-owner';

/** A server without Temporal: what is refused is refused before. */
const served: Served = {
  reprise: undefined as never,
  ready: () => Promise.reject(new Error('no Temporal')),
  feeds: undefined as never,
  configs: '',
  home: '',
  owner,
  url: 'http://127.0.0.1:8234',
  port: 8234,
  origins: [],
  typed: (text) => text,
  say: () => {},
};
const app = createApp(served);

const post = (path: string, body: unknown, token = owner) =>
  app.request(`http://127.0.0.1:8234/v1/${path}`, {
    method: 'POST',
    headers: { host: '127.0.0.1:8234', authorization: `Bearer ${token}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test.each<[string, string, unknown, string, number]>([
  ['a wrong token', 'chat/completions', {}, 'wrong', 401],
  ['a token that may only read', 'chat/completions', {}, issue(owner, { kind: 'read' }), 403],
  ['a path that leads nowhere', 'embeddings', {}, owner, 404],
  ['what is no JSON', 'responses', '{', owner, 400],
])('an error is as OpenAI has it: %s', async (_, path, body, token, status) => {
  const answer = await post(path, body, token);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json']);
  expect(await answer.json()).toEqual({
    error: { message: expect.any(String), type: expect.any(String), param: null, code: expect.any(String) },
  });
});

const messages = [{ role: 'user', content: 'Hi.' }];
const get = { type: 'function', function: { name: 'get_weather' } };
const image = (url: string) => [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];

test.each<[object, string]>([
  [{ model: 1 }, 'model'],
  [{ messages: [] }, 'messages'],
  [{ messages: 3 }, 'messages'],
  [{ messages: [{ role: 'robot', content: 'Hi.' }] }, 'messages[0].role'],
  [{ messages: [{ role: 'user', content: [{ type: 'video', url: '' }] }] }, 'messages[0].content[0].type'],
  [{ messages: image('https://example.org/a.png') }, 'messages[0].content[0]'],
  [{ messages: image('file:///etc/passwd') }, 'messages[0].content[0]'],
  [{ messages: [{ role: 'user', content: [{ type: 'file', file: null }] }] }, 'messages[0].content[0]'],
  [{ messages: [...messages, { role: 'assistant', content: 'Hi.' }] }, 'messages'],
  [{ messages: [...messages, { role: 'tool', tool_call_id: 'call_1!', content: 'Hi.' }] }, 'messages'],
  [{ messages: [...messages, { role: 'tool', tool_call_id: 'call_abc', content: 'Of another server.' }] }, 'messages'],
  [{ n: 2 }, 'n'],
  [{ logprobs: true }, 'logprobs'],
  [{ stop: ['\n'] }, 'stop'],
  [{ response_format: { type: 'json_object' } }, 'response_format'],
  [{ tools: [get] }, 'tools[0]'],
  [{ tools: [get], tool_choice: get }, 'tools[0]'],
  [{ tool_choice: 'required' }, 'tool_choice'],
  [{ metadata: { a: 1 } }, 'metadata.a'],
])('a completion is refused by the name of what cannot be heeded: %j', async (given, param) => {
  const answer = await post('chat/completions', { model: 'reprise', messages, ...given });
  expect(answer.status).toBe(400);
  const { error } = (await answer.json()) as { error: { param: string; message: string } };
  expect([error.param, error.message.startsWith(`${param}: `)]).toEqual([param, true]);
});

test.each<[object, string]>([
  [{ input: [{ type: 'computer_call' }] }, 'input[0].type'],
  [{ text: { format: { type: 'json_schema' } } }, 'text.format'],
  [{ background: true, store: false }, 'background'],
  [{ conversation: 'conv_1' }, 'conversation'],
])('a response is refused by the name of what cannot be heeded: %j', async (given, param) => {
  const answer = await post('responses', { model: 'reprise', input: 'Hi.', ...given });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { param, type: 'invalid_request_error' } });
});

test('what has no effect is named in a header', async () => {
  const body = { model: 'reprise', messages, temperature: 1, max_tokens: 9, n: 1, stop: null, top_p: null };
  const answer = await post('chat/completions', body);
  expect([answer.status, answer.headers.get('x-reprise-ignored')]).toEqual([500, 'temperature, max_tokens']);
});

test('a conversation of either API is history, what is wanted, and files', () => {
  const file = { type: 'input_file', filename: 'notes.txt', file_data: 'data:text/plain;base64,SGVsbG8=' };
  const call = JSON.stringify({ question_id: 'q1', question: 'Which mode?' });
  const items = entries.parse([
    { role: 'developer', content: 'Be terse.' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Choose.' }, file] },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'function_call', call_id: 'call_ask-1.9', name: 'answer_question', arguments: call },
    { type: 'function_call_output', call_id: 'call_ask-1.9', output: 'Dark mode' },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Dark it is.' }], phase: 'final_answer' },
    { role: 'user', content: 'And now?' },
  ]);
  expect(requestIn(items, owner, 'input')).toEqual({
    text: 'And now?',
    attachments: [{ name: 'notes.txt', data: 'SGVsbG8=' }],
    history: [
      { role: 'system', content: 'Be terse.' },
      { role: 'user', content: 'Choose.' },
      { role: 'assistant', content: 'Which mode?' },
      { role: 'user', content: 'Dark mode' },
      { role: 'assistant', content: 'Dark it is.' },
    ],
  });
  const aloud = { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'SGVsbG8=', format: 'wav' } }] };
  expect(requestIn(entries.parse([aloud]), owner, 'messages')).toMatchObject({
    text: 'See what is attached.',
    attachments: [{ name: 'audio.wav', data: 'SGVsbG8=' }],
  });
  expect(requestIn(items.slice(0, 4), owner, 'input')).toEqual({ text: 'Dark mode', asked: { run: 'ask-1', seq: 9 } });
});
