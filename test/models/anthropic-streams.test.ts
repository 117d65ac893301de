import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { modelOpener } from '../../src/models/open-model.ts';

/** Sends a stream's events as they are. */
async function streamed(events: object[]) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events)
      response.write(`event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model = modelOpener({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: baseURL })({ type: 'claude', model: 'c' });
  try {
    return await model.complete({
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [],
      signal: new AbortController().signal,
      onDelta: () => {},
    });
  } finally {
    server.close();
  }
}

const began = (usage: object = { input_tokens: 10, output_tokens: 0 }, rest: object = {}) => ({
  type: 'message_start',
  message: { usage, ...rest },
});
const block = (index: unknown, content_block: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const text = (index: unknown, words: string) =>
  block(index, { type: 'text', text: '' }, { type: 'text_delta', text: words });
const called = (index: unknown, id: string | undefined, json: string) =>
  block(index, { type: 'tool_use', id, name: 'vote', input: {} }, { type: 'input_json_delta', partial_json: json });
const ended = (stop_reason: string | null, usage: object = { output_tokens: 5 }) => ({
  type: 'message_delta',
  delta: { stop_reason },
  usage,
});
const stop = { type: 'message_stop' };

describe('a stream', () => {
  test.each<[string, unknown[]]>([
    ['from 0', [0, 1, 2]],
    ['from 1', [1, 2, 3]],
    ['all alike', [0, 0, 0]],
    ['from 4294967290', [4294967290, 4294967291, 4294967292]],
    ['none', [undefined, undefined, undefined]],
  ])('its blocks are told apart whatever their indices are: %s', async (_, [a, b, c]) => {
    const { message, finish } = await streamed([
      began(),
      ...text(a, 'I vote.'),
      ...called(b, 't1', '{"x":1}'),
      ...called(c, 't1', '{"x":2}'),
      ended('tool_use'),
      stop,
    ]);
    expect(message.content).toBe('I vote.');
    expect(message.toolCalls?.map((call) => call.arguments)).toEqual(['{"x":1}', '{"x":2}']);
    expect(new Set(message.toolCalls?.map(({ id }) => id)).size).toBe(2);
    expect(finish).toBe('tool_calls');
  });

  test('keeps its text where pieces, or the beginning of a block, have none', async () => {
    const { message } = await streamed([
      began(),
      ...block(0, { type: 'text', text: null }, { type: 'text_delta' }, { type: 'text_delta', text: 'Yes.' }),
      ...block(1, { type: 'tool_use', id: 't', name: 'vote', input: {} }, { type: 'input_json_delta' }),
      ended('tool_use'),
      stop,
    ]);
    expect(message.content).toBe('Yes.');
    expect(message.toolCalls?.[0]?.arguments).toBe('');
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'length'],
    ['tool_use', 'tool_calls'],
    [null, 'stop'],
  ])('that stops by %s ends as %s', async (reason, finish) => {
    expect((await streamed([began(), ...text(0, 'x'), ended(reason), stop])).finish).toBe(finish);
  });

  test.each([
    ['a refusal', [began(), ended('refusal'), stop], { type: 'ContentRefused', nonRetryable: true }],
    ['no end', [began(), ...text(0, 'x')], { type: 'ConnectionFailed', nonRetryable: false }],
    [
      'an overload',
      [began(), { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
      { type: 'ServerError', nonRetryable: false },
    ],
    [
      'a limit of rate',
      [began(), { type: 'error', error: { type: 'rate_limit_error', message: 'slow' } }],
      { type: 'RateLimited', nonRetryable: false },
    ],
    [
      'a bad request',
      [began(), { type: 'error', error: { type: 'invalid_request_error', message: 'no' } }],
      { type: 'BadRequest', nonRetryable: true },
    ],
  ])('with %s fails as it should', async (_, events, failure) => {
    const error = await streamed(events).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApplicationFailure);
    expect(error).toMatchObject(failure);
  });

  test.each<[string, object, object, boolean]>([
    [
      'whole numbers',
      { input_tokens: 10, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 },
      { output_tokens: 5 },
      false,
    ],
    [
      'that come at the end',
      { input_tokens: 0 },
      { input_tokens: 16, cache_read_input_tokens: null, output_tokens: 5 },
      false,
    ],
    ['negative', { input_tokens: -10 }, { output_tokens: 5 }, true],
    ['no numbers', { input_tokens: '0NaN' }, { output_tokens: 5 }, true],
    ['none', {}, {}, true],
    ['too large', { input_tokens: 1e300 }, { output_tokens: 5 }, true],
  ])(
    'has its tokens counted by the provider, or estimated where it says nothing sensible: %s',
    async (_, start, end, estimated) => {
      const { usage } = await streamed([
        began(start),
        ...text(0, 'Twenty characters ok'),
        ended('end_turn', end),
        stop,
      ]);
      expect(usage.estimated ?? false).toBe(estimated);
      expect(usage.outputTokens).toBe(5);
      expect(usage.inputTokens).toBe(estimated ? 1 : 16);
    },
  );

  test('keeps redacted thoughts, and no thought that was cut before its signature', async () => {
    const { message } = await streamed([
      began(),
      ...block(0, { type: 'redacted_thinking', data: 'xyz' }),
      ...block(1, { type: 'thinking', thinking: '', signature: '' }, { type: 'thinking_delta', thinking: 'Hm' }),
      ended('max_tokens'),
      stop,
    ]);
    expect(message.opaque?.data).toEqual({ model: 'c', blocks: [{ type: 'redacted_thinking', data: 'xyz' }] });
  });

  test('that says what was left out gives a notice', async () => {
    const dropped = { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' };
    const { notices } = await streamed([
      began(undefined, { input_transformations: [dropped] }),
      ...text(0, 'x'),
      ended('end_turn'),
      stop,
    ]);
    expect(notices).toEqual([expect.stringContaining('1 thinking blocks were left out')]);
  });
});
