import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/protocol/message.ts';
import { estimateUsage } from '../../src/models/estimate.ts';
import type { ModelRequest } from '../../src/models/model.ts';
import { modelOpener } from '../../src/models/open-model.ts';
import { startModelServer, type Seen } from '../support/model-server.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const images = new Map([
  ['blob-1', 'cGl4ZWw='],
  ['blob-2', 'cGhvdG8='],
]);
const one = { blob: 'blob-1', mediaType: 'image/png' };
const other = { blob: 'blob-2', mediaType: 'image/jpeg' };
const shown: Message = { role: 'user', content: 'What is on them?', images: [one, other] };

async function seenBy(type: Backend['type'], request: Pick<ModelRequest, 'messages' | 'images'>): Promise<Seen> {
  const server = await startModelServer(() => ({ text: 'A pixel.' }));
  const open = modelOpener({
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: server.openai,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: server.anthropic,
  });
  try {
    await open({ type, model: 'some-model' }).complete({
      tools: [],
      signal: new AbortController().signal,
      onDelta: () => {},
      ...request,
    });
    return server.requests[0] as Seen;
  } finally {
    await server.close();
  }
}

describe('a picture goes over the wire with its text', () => {
  test('Responses: as data URIs', async () => {
    const { body } = await seenBy('openai', { messages: [shown], images });
    expect(body['input']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is on them?' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,cGl4ZWw=' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/jpeg;base64,cGhvdG8=' },
        ],
      },
    ]);
  });

  test('Chat Completions: as data URIs', async () => {
    const { body } = await seenBy('chatcompletion', { messages: [shown], images });
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is on them?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,cGl4ZWw=' } },
          { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,cGhvdG8=' } },
        ],
      },
    ]);
  });

  test('Anthropic: as blocks in base64, before the text', async () => {
    const { body } = await seenBy('claude', { messages: [shown], images });
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'cGl4ZWw=' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'cGhvdG8=' } },
          { type: 'text', text: 'What is on them?' },
        ],
      },
    ]);
  });
});

describe.each(['openai', 'chatcompletion', 'claude'] as const)('%s', (type) => {
  test('a picture alone comes without an empty text, which would be refused', async () => {
    const alone: Message = { role: 'user', content: '', images: [one] };
    const { raw } = await seenBy(type, { messages: [alone], images });
    expect(raw).toContain('cGl4ZWw=');
    expect(raw).not.toContain('"text":""');
  });

  test('a longer conversation begins with the same bytes', async () => {
    const later: Message[] = [shown, { role: 'assistant', content: 'A pixel.' }, { role: 'user', content: 'Sure?' }];
    const [short, long] = await Promise.all(
      [[shown], later].map(async (messages) => (await seenBy(type, { messages, images })).body),
    );
    const key = type === 'openai' ? 'input' : 'messages';
    expect((long![key] as unknown[]).slice(0, 1)).toEqual(short?.[key]);
  });

  test('a picture that was not loaded is an error, and nothing is sent', async () => {
    await expect(seenBy(type, { messages: [shown], images: new Map() })).rejects.toThrow('blob-1 was not loaded');
  });
});

test.each([
  ['openai', '"input":[{"role":"user","content":"Hi"}]'],
  ['chatcompletion', '"messages":[{"role":"user","content":"Hi"}]'],
  ['claude', '"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]'],
] as const)('%s: a message without pictures is sent as ever, byte for byte', async (type, bytes) => {
  const { raw } = await seenBy(type, { messages: [{ role: 'user', content: 'Hi' }] });
  expect(raw).toContain(bytes);
});

test('an estimate counts about a thousand tokens a picture', () => {
  const written = { characters: 0 };
  const without = estimateUsage([{ role: 'user', content: shown.content }], written).inputTokens;
  expect(estimateUsage([shown], written).inputTokens).toBe(without + 2000);
});

test('the offline model ignores pictures', async () => {
  const { message } = await modelOpener({})({ type: 'offline' }).complete({
    messages: [shown],
    images,
    tools: [],
    signal: new AbortController().signal,
    onDelta: () => {},
  });
  expect(message.content).not.toBe('');
});
