import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { delta, RawServer, stream } from '../support/raw-server.ts';
import { stallOf } from '../support/stall.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const megabyte = 1024 * 1024;

/** Writes the same bytes until nobody reads them any more. */
async function pour(response: ServerResponse, bytes: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const gone = once(response, 'close');
  while (!response.destroyed) {
    if (!response.write(bytes)) await Promise.race([once(response, 'drain'), gone]);
  }
}

/** What a call does to the process that makes it. */
async function watched(ask: () => Promise<unknown>) {
  global.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  let error: unknown;
  try {
    const stalledMs = await stallOf(async () => {
      error = await ask().catch((reason: unknown) => reason);
    });
    return { error, stalledMs, grownMb: (peak - before) / megabyte };
  } finally {
    clearInterval(timer);
  }
}

const around = {
  sequence_number: 100_000,
  item_id: `msg_${'0'.repeat(48)}`,
  output_index: 0,
  content_index: 0,
  logprobs: [],
  obfuscation: '0'.repeat(15),
};

const wires: Array<[Backend['type'], (text: string) => object]> = [
  // With what OpenAI puts around a text. Bare events are those of Chat Completions, which the same SDK reads.
  ['openai', (text) => ({ type: 'response.output_text.delta', delta: text, ...around })],
  ['chatcompletion', (text) => delta({ content: text })],
  ['claude', (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })],
];

/** Has a server pour out these bytes without an end. */
async function isCutOff(type: Backend['type'], bytes: string): Promise<void> {
  await using server = await RawServer.start((response) => pour(response, bytes));
  const { ask } = server.opener()({ type, model: 'm' });
  const { error, stalledMs, grownMb } = await watched(ask);
  expect(error).toMatchObject({ type: 'ReplyTooLarge', nonRetryable: true });
  expect(stalledMs).toBeLessThan(500);
  expect(grownMb).toBeLessThan(400);
}

// No event of these ever reaches what knows the wire.
test.each<[string, string]>([
  ['a line without an end', 'x'.repeat(16 * 1024)],
  ['a line without an end, in tiny pieces', 'data: {"x":'],
  ['an event without an end', `data: "${'x'.repeat(1000)}",\n`],
  ['a flood of lines of no event', 'x\n'.repeat(8 * 1024)],
  ['a flood of comments', ': keep alive\n\n'.repeat(100)],
])('%s is cut off, and holds up nothing else in the process', (_, bytes) => isCutOff('chatcompletion', bytes));

describe.each(wires)('a hostile stream over the wire of %s', (type, say) => {
  test.each<[string, string]>([
    ['one long text', '0'.repeat(10_000)],
    ['a flood of single letters', '0'],
  ])('%s is cut off, and holds up nothing else in the process', (_, text) =>
    isCutOff(type, `data: ${JSON.stringify(say(text))}\n\n`),
  );

  test('the body of an error without an end is read to a limit', async () => {
    await using server = await RawServer.start((response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      const gone = once(response, 'close');
      const more = async (): Promise<void> => {
        while (!response.destroyed) {
          if (!response.write('x'.repeat(1000))) await Promise.race([once(response, 'drain'), gone]);
        }
      };
      return more();
    });
    const { error, grownMb } = await watched(server.opener()({ type, model: 'm' }).ask);
    expect(error).toMatchObject({ type: 'BadRequest' });
    expect(grownMb).toBeLessThan(400);
  });

  test('a stream of pings is dead', async () => {
    await using server = await RawServer.start(async (response) => {
      while (!response.destroyed) {
        stream(response, [': ping', { type: 'ping' }, { choices: [{ delta: { role: 'assistant', content: '' } }] }]);
        await pause(20);
      }
    });
    const call = server.opener()({ type, model: 'm', idle_timeout: 0.3 }).ask();
    await expect(call).rejects.toMatchObject({ type: 'StreamStalled', nonRetryable: false });
  });

  test('a server that does not answer at all is dead too', async () => {
    await using server = await RawServer.start((response) => once(response, 'close'));
    const call = server.opener()({ type, model: 'm', idle_timeout: 0.2 }).ask();
    await expect(call).rejects.toMatchObject({ type: 'StreamStalled', nonRetryable: false });
  });
});

describe('silence', () => {
  test('may last twice as long at each try, since a long thought is silent as well', async () => {
    await using server = await RawServer.start((response) => stream(response, [': wait']));
    const { ask } = server.opener()({ type: 'chatcompletion', model: 'm', idle_timeout: 0.1 });
    for (const [attempt, seconds] of [
      [1, '0.1 s'],
      [2, '0.2 s'],
      [3, '0.4 s'],
    ] as const)
      await expect(ask({ attempt })).rejects.toMatchObject({
        type: 'StreamStalled',
        message: expect.stringContaining(seconds) as string,
      });
  });

  test('is ended by thoughts', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const reader = new EventEmitter();
    await using server = await RawServer.start(async (response) => {
      for (let piece = 0; piece < 3; piece++) {
        const isRead = once(reader, 'read');
        stream(response, [delta({ reasoning_content: 'Hm. ' })]);
        await isRead;
      }
      stream(response, [delta({ content: 'Yes.' }, 'stop'), '[DONE]']);
      response.end();
    });
    const { ask } = server.opener()({ type: 'chatcompletion', model: 'm', idle_timeout: 60 });
    const onDelta = (): void => {
      vi.advanceTimersByTime(40_000);
      reader.emit('read');
    };
    await expect(ask({ onDelta })).resolves.toMatchObject({ message: { content: 'Yes.' } });
  });
});

test('events are read alike wherever the network cuts them', async () => {
  const text = 'Grüße, 世界! 👋\n'.repeat(20);
  const whole = [delta({ content: text }), delta({}, 'stop')].map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`);
  const bytes = Buffer.from(`: hello\n\n${whole.join('')}data: [DONE]`);
  await using server = await RawServer.start(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let at = 0; at < bytes.length; at += 7) {
      response.write(bytes.subarray(at, at + 7));
      if (at % 70 === 0) await pause(1);
    }
    response.end();
  });
  const { message, finish } = await server.opener()({ type: 'chatcompletion', model: 'm' }).ask();
  expect([message.content, finish]).toEqual([text, 'stop']);
});
