import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { payloadCodec, tolerant } from '../../src/encryption/codec.ts';
import { readKeys } from '../../src/encryption/keys.ts';
import { longestRequest, serveCodec, type CodecServer } from '../../src/encryption/serve-codec.ts';
import { Home } from '../support/cli.ts';
import { running } from '../support/running.ts';
import { answer, teamScript } from '../support/team-script.ts';

const key = randomBytes(32).toString('base64');
const keys = readKeys({ REPRISE_ENCRYPTION_KEY: key });
const codec = tolerant(payloadCodec(keys));
const webUi = 'http://127.0.0.1:8233';

let server: CodecServer;
beforeAll(async () => {
  server = await serveCodec('127.0.0.1', 0, { codec, origins: [webUi] });
});
afterAll(() => server.close());

interface Asked {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  at?: CodecServer;
}

/** Asks as any program may, with whatever headers. */
function ask({ path = '/decode', method = 'POST', headers = {}, body = '{}', at = server }: Asked) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const own = { 'content-type': 'application/json', ...headers };
    const sent = request(`${at.address}${path}`, { method, headers: own }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.once('error', reject);
    sent.end(method === 'POST' ? body : undefined);
  });
}

const asJson = (payload: { metadata?: object | null; data?: Uint8Array | null }) => ({
  metadata: Object.fromEntries(
    Object.entries((payload.metadata ?? {}) as Record<string, Uint8Array>).map(([name, value]) => [
      name,
      Buffer.from(value).toString('base64'),
    ]),
  ),
  data: Buffer.from(payload.data ?? []).toString('base64'),
});

test('what it encodes it decodes, and what it has no key for says so', async () => {
  const payload = asJson(defaultPayloadConverter.toPayload('Canary.'));
  const encoded = await ask({ path: '/encode', body: JSON.stringify({ payloads: [payload] }) });
  expect(encoded.status).toBe(200);
  expect(encoded.text).not.toContain(payload.data);
  const foreign = payloadCodec(readKeys({ REPRISE_ENCRYPTION_KEY: randomBytes(32).toString('base64') }));
  const [other] = await foreign.encode([defaultPayloadConverter.toPayload('Other.')]);
  const { payloads } = JSON.parse(encoded.text) as { payloads: object[] };
  const decoded = await ask({ body: JSON.stringify({ payloads: [...payloads, asJson(other!)] }) });
  const [first, second] = (JSON.parse(decoded.text) as { payloads: Array<{ data: string }> }).payloads;
  expect(first).toEqual(payload);
  expect(Buffer.from(second!.data, 'base64').toString()).toMatch(/^"This needs the encryption key \w{8}: /);
});

test('pages of the Web UI may ask, and those of no other origin', async () => {
  const asked = await ask({ method: 'OPTIONS', headers: { origin: webUi } });
  expect(asked).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': webUi } });
  expect(await ask({ headers: { origin: webUi } })).toMatchObject({
    status: 200,
    headers: { 'access-control-allow-origin': webUi },
  });
  for (const method of ['OPTIONS', 'POST']) {
    const refused = await ask({ method, headers: { origin: 'https://evil.example' } });
    expect(refused.status).toBe(403);
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
  }
});

test.each<[string, Asked, number]>([
  ['a name that is not this machine’s (DNS rebinding)', { headers: { host: 'evil.example:80' } }, 403],
  ['a form of another page', { headers: { 'content-type': 'text/plain' } }, 415],
  ['another path', { path: '/keys' }, 404],
  ['another method', { method: 'GET' }, 405],
  ['what is no JSON', { body: '{' }, 400],
  ['what is too long', { body: `"${'x'.repeat(longestRequest)}"` }, 413],
])('it refuses %s', async (_, asked, status) => {
  const refused = await ask(asked);
  expect(refused.status).toBe(status);
  expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
});

test('with a token it answers whoever shows it, under any name', async () => {
  const guarded = await serveCodec('127.0.0.1', 0, { codec, origins: [], token: 'open-sesame' });
  const headers = { host: 'codec.example' };
  const withToken = (token: string) => ask({ at: guarded, headers: { ...headers, authorization: `Bearer ${token}` } });
  expect((await ask({ at: guarded, headers })).status).toBe(401);
  expect((await withToken('open')).status).toBe(401);
  expect((await withToken('open-sesame')).status).toBe(200);
  await guarded.close();
});

test('with it the Temporal CLI shows a run, and without it nothing of that', async () => {
  const script = teamScript({ answer: () => answer('Canary-answer.') });
  await using run = await running(script, { REPRISE_ENCRYPTION_KEY: key });
  const { address, cli } = inject('temporal');
  await using reprise = await connect({ address, taskQueue: run.taskQueue, encryptionKey: key });
  const started = await reprise.startOrchestration({ task: 'Canary-task' });
  await started.result();
  const words = ['workflow', 'describe', '--address', address, '--workflow-id', started.id];
  const show = async (...more: string[]) => (await promisify(execFile)(cli, [...words, ...more])).stdout;
  expect(await show('--codec-endpoint', server.address)).toMatch(/Canary-task[^]*final answer/);
  expect(await show()).not.toMatch(/Canary|final answer/);
});

test('the command needs a key, and beyond this machine a token', async () => {
  const home = await Home.make();
  const refused = async (words: string[], variables: Record<string, string>) => {
    const { status, stderr } = await home.run(['codec-server', ...words], variables);
    expect(status).toBe(2);
    return stderr;
  };
  expect(await refused([], {})).toContain('REPRISE_ENCRYPTION_KEY is not set');
  expect(await refused([], { REPRISE_ENCRYPTION_KEY: 'short' })).toContain('is not 32 bytes in base64');
  const variables = { REPRISE_ENCRYPTION_KEY: key };
  expect(await refused(['--host', '0.0.0.0'], variables)).toContain('REPRISE_CODEC_TOKEN');
  const served = home.start(['codec-server', '--port', '0'], variables);
  await served.says(/Codec server http:\/\/127\.0\.0\.1:\d+ for http:\/\/127\.0\.0\.1:8233/);
  const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(served.stderr) ?? [];
  expect((await ask({ at: { address, close: async () => {} } })).status).toBe(200);
  served.signal('SIGINT');
  await served.finished;
  await home.remove();
});
