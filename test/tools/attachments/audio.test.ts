import { text as textOfStream } from 'node:stream/consumers';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { transcriber } from '../../../src/models/transcription.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';

/** A second of silence, as WAV. */
const silence = Buffer.concat([
  Buffer.from('RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00', 'latin1'),
  Buffer.alloc(8000),
]);

interface Asked {
  path: string;
  key: string | undefined;
  body: string;
}
const asked: Asked[] = [];
let answer: { status: number; body: string };
const server = createServer((request, response) => void handle(request, response));
async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await textOfStream(request);
  asked.push({ path: request.url ?? '', key: request.headers.authorization, body });
  response.writeHead(answer.status, { 'content-type': 'application/json', 'x-should-retry': 'false' }).end(answer.body);
}
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
beforeEach(() => {
  asked.length = 0;
  answer = { status: 200, body: '{"text":"Meet me at noon."}' };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const recording = { name: 'note.wav', bytes: silence, mediaType: 'audio/wav' };
const key = 'sk-very-secret-key-1234';

describe('a recording is transcribed', () => {
  test.each([
    ['openai', { type: 'openai' }, { OPENAI_API_KEY: key, OPENAI_BASE_URL: url }, 'gpt-transcribe', key],
    [
      'chatcompletion',
      { type: 'chatcompletion', base_url: url, api_key_env: 'MINE' },
      { MINE: key, TRANSCRIPTION_MODEL: 'small' },
      'small',
      key,
    ],
    ['none but TRANSCRIPTION_URL', undefined, { TRANSCRIPTION_URL: url, TRANSCRIPTION_API_KEY: key }, 'whisper-1', key],
    [
      'claude and TRANSCRIPTION_URL',
      { type: 'claude' },
      { TRANSCRIPTION_URL: url, OPENAI_API_KEY: key },
      'whisper-1',
      'none',
    ],
  ] as const)('with the backend %s', async (_, backend, environment, model, sent) => {
    expect(await transcriber(environment, backend)(recording)).toEqual({
      text: 'Meet me at noon.',
      note: `transcribed by ${model}`,
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ path: '/v1/audio/transcriptions', key: `Bearer ${sent}` });
    expect(asked[0]?.body).toContain('filename="note.wav"');
    expect(asked[0]?.body).toMatch(new RegExp(`name="model"\\s+${model}`));
  });

  test('to nothing where nothing is said', async () => {
    answer.body = '{"text":" "}';
    expect(await transcriber({ TRANSCRIPTION_URL: url }, undefined)(recording)).toEqual({
      note: 'nothing is said in it',
    });
  });
});

describe('a note says what to set', () => {
  test.each([
    ['no backend', undefined, {}],
    [
      'a backend that has no such endpoint, although a key for another is set',
      { type: 'claude' },
      { OPENAI_API_KEY: key },
    ],
    ['the offline model', { type: 'offline' }, { OPENAI_API_KEY: key }],
  ] as const)('with %s, and nothing is sent', async (_, backend, environment) => {
    const { note, text } = await transcriber({ ...environment, OPENAI_BASE_URL: url }, backend)(recording);
    expect(text).toBeUndefined();
    expect(note).toMatch(/^it was not transcribed; nothing of it can be read: set TRANSCRIPTION_URL/);
    expect(asked).toEqual([]);
  });

  test.each([
    [
      '404',
      404,
      '{"error":{"message":"Not Found"}}',
      /^it was not transcribed by whisper-1 \(404 .*\); .*TRANSCRIPTION_URL/,
    ],
    ['an error that repeats the key', 401, `{"error":{"message":"bad key ${key}"}}`, /bad key \[redacted\]/],
    ['no text', 200, '{"words":[]}', /the reply has no text/],
  ])('when the server answers %s', async (_, status, body, note) => {
    answer = { status, body };
    const readable = await transcriber({ TRANSCRIPTION_URL: url, TRANSCRIPTION_API_KEY: key }, undefined)(recording);
    expect(readable.note).toMatch(note);
    expect(readable.text).toBeUndefined();
  });
});

test.each([
  ['a.mp3', 'ID3\x04', 'audio/mpeg'],
  ['a.mp3', '\xff\xfb\x90\x00', 'audio/mpeg'],
  ['a.wav', silence.toString('latin1'), 'audio/wav'],
  ['a.ogg', 'OggS\x00\xff', 'audio/ogg'],
  ['a.flac', 'fLaC\x00\xff', 'audio/flac'],
  ['a', '\x00\x00\x00\x20ftypM4A \xff', 'audio/mp4'],
  ['a.webm', '\x1a\x45\xdf\xa3\xff', 'audio/webm'],
])('%s is known as audio by its content', async (name, content, mediaType) => {
  expect(await recognise(name, Buffer.from(content, 'latin1'))).toEqual({ kind: 'audio', mediaType });
});

test('a film is no audio', async () => {
  expect(await recognise('a.mp4', Buffer.from('\x00\x00\x00\x20ftypisom\xff', 'latin1'))).toMatchObject({
    kind: 'binary',
    mediaType: 'video/mp4',
  });
});
