import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createCallModel } from '../../src/activities/model.ts';
import { compacted } from '../../src/models/compact.ts';
import { modelOpener } from '../../src/models/open-model.ts';
import type { Message } from '../../src/protocol/message.ts';
import type { CallModelResult } from '../../src/protocol/model-call.ts';
import { activityBench, testCaller } from '../support/activity-bench.ts';
import { pixel } from '../support/files.ts';
import { startModelServer, type Scripted, type Seen } from '../support/model-server.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const bench = activityBench();
const base64 = pixel.toString('base64');
const uri = `data:image/png;base64,${base64}`;
const blob = await bench.store.putBlob(base64);

let reply: (seen: Seen) => Scripted;
const server = await startModelServer((seen) => reply(seen));
beforeEach(() => {
  reply = () => ({ text: 'A pixel.' });
  server.requests.length = 0;
});
afterAll(async () => {
  await server.close();
  await bench.close();
});

const callModel = createCallModel({
  store: bench.store,
  openModel: modelOpener({
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: server.openai,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: server.anthropic,
  }),
});

const images = [{ blob, mediaType: 'image/png' }];
const tools = await bench.store.putBlob(
  JSON.stringify([{ name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } }]),
);
const calls = ['c1', 'c2'].map((id) => ({ id, name: 'look', arguments: '{}' }));
/** Two calls of one reply, of which the first one shows an image. */
const conversation: Message[] = [
  { role: 'user', content: 'Look.' },
  { role: 'assistant', content: '', toolCalls: calls },
  { role: 'tool', callId: 'c1', content: 'A chart', images },
  { role: 'tool', callId: 'c2', content: 'Nothing' },
];

let run = 0;
async function ask(type: Backend['type'], model: string, append = conversation): Promise<CallModelResult> {
  const input = { backend: { type, model }, transcript: null, append, tools: { blob: tools }, caller: testCaller };
  return bench.run(callModel, input, `images-${++run}`);
}

describe("a tool's image reaches a model that sees", () => {
  test('Responses: as a part of the result', async () => {
    await ask('openai', 'gpt-5.6');
    expect((server.requests[0]!.body['input'] as unknown[]).slice(-2)).toEqual([
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [
          { type: 'input_text', text: 'A chart' },
          { type: 'input_image', detail: 'auto', image_url: uri },
        ],
      },
      { type: 'function_call_output', call_id: 'c2', output: 'Nothing' },
    ]);
  });

  test('Anthropic: as a block of the result', async () => {
    await ask('claude', 'claude-sonnet-5-5');
    const { content } = (server.requests[0]!.body['messages'] as Array<{ content: unknown[] }>).at(-1)!;
    expect(content).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'c1',
        content: [
          { type: 'text', text: 'A chart' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
        ],
      },
      { type: 'tool_result', tool_use_id: 'c2', content: 'Nothing' },
    ]);
  });

  test('Chat Completions: as a message of the user behind the last result, since results are texts there', async () => {
    await ask('chatcompletion', 'some-model');
    expect((server.requests[0]!.body['messages'] as unknown[]).slice(-3)).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: 'A chart' },
      { role: 'tool', tool_call_id: 'c2', content: 'Nothing' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '(What the tools above have shown, in the order of their results:)' },
          { type: 'image_url', image_url: { url: uri } },
        ],
      },
    ]);
  });

  test.each([
    ['openai', 'gpt-5.6', 'input'],
    ['claude', 'claude-sonnet-5-5', 'messages'],
    ['chatcompletion', 'some-model', 'messages'],
  ] as const)('%s: a longer conversation begins with the same bytes', async (type, model, key) => {
    await ask(type, model);
    const later: Message[] = [
      { role: 'assistant', content: 'A pixel.' },
      { role: 'user', content: 'Sure?' },
    ];
    await ask(type, model, [...conversation, ...later]);
    const [short, long] = server.requests.map(({ body }) => body[key] as unknown[]);
    expect(long?.slice(0, short?.length)).toEqual(short);
  });
});

describe('a model that takes no images', () => {
  const note = 'A chart\n[An image belongs here, not shown: o3-mini takes no images]';

  test('gets a note in their place, and the run says so', async () => {
    const { notices } = await ask('openai', 'o3-mini');
    expect(server.requests[0]?.raw).not.toContain('input_image');
    expect(server.requests[0]?.messages.map(({ text }) => text)).toContain(note);
    expect(notices).toEqual(['o3-mini takes no images: they were left out, with a note in their place']);
  });

  test.each([
    [400, 'some/model is not a multimodal model None'],
    [500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
    [400, 'messages[2]: unknown variant `image_url`, expected `text`'],
    [404, 'No endpoints found that support image input'],
    [400, 'this model does not support image input'],
  ])('is found out by its refusal (%i %s), and is asked without them from then on', async (status, message) => {
    const blind = `blind-${message.length}`;
    reply = ({ raw }) => {
      const errorBody = JSON.stringify({ error: { message, type: 'invalid_request_error' } });
      return raw.includes('image_url') ? { status, errorBody } : { text: 'Fine.' };
    };
    const { notices, reply: said } = await ask('chatcompletion', blind);
    expect(said.content).toBe('Fine.');
    expect(notices).toEqual([`${blind} takes no images: they were left out, with a note in their place`]);
    await ask('chatcompletion', blind);
    expect(server.requests).toHaveLength(3);
  });

  test('is not taken for blind when only these images are refused', async () => {
    const message = 'messages.2.content.0.image.source.base64: image exceeds 5 MB maximum';
    reply = ({ raw }) =>
      raw.includes('base64,') ? { status: 400, errorBody: JSON.stringify({ error: { message } }) } : { text: 'Fine.' };
    const { notices } = await ask('chatcompletion', 'seeing');
    expect(notices).toEqual([expect.stringMatching(/^The images were left out: .*image exceeds 5 MB maximum/)]);
    reply = () => ({ text: 'Fine.' });
    await ask('chatcompletion', 'seeing');
    expect(server.requests.at(-1)?.raw).toContain('base64,');
  });

  test('a refusal that is about something else is not tried again', async () => {
    reply = () => ({ status: 400, errorBody: '{"error":{"message":"the model is too tired"}}' });
    await expect(ask('chatcompletion', 'tired')).rejects.toThrow('too tired');
    expect(server.requests).toHaveLength(1);
  });
});

test('where a conversation is cut to fit, older images give way to a note', () => {
  const old: Message[] = [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c0', name: 'look', arguments: '{}' }] },
    { role: 'tool', callId: 'c0', content: 'A chart', images: Array.from({ length: 5 }, () => images[0]!) },
    { role: 'assistant', content: 'And?' },
    { role: 'user', content: 'Again.' },
  ];
  expect(compacted(old, 500)[2]).toEqual({
    role: 'tool',
    callId: 'c0',
    content: 'A chart\n[5 images belong here, not shown: left out to fit your context]',
  });
});
