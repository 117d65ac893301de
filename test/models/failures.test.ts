import { ApplicationFailure } from '@temporalio/common';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { toFailure } from '../../src/models/failures.ts';
import { modelOpener } from '../../src/models/open-model.ts';
import { redact } from '../../src/util/text/redact.ts';
import { startModelServer, type Scripted } from '../support/model-server.ts';
import { RawServer } from '../support/raw-server.ts';
import type { Backend } from '../../src/protocol/settings.ts';
import { retryDelay } from '../../src/util/retry-delay.ts';

const secret = 'sk-very-secret-0123456789';

async function failureOf(type: 'openai' | 'claude', reply: Scripted): Promise<ApplicationFailure> {
  const server = await startModelServer(() => reply);
  try {
    const open = modelOpener({
      OPENAI_API_KEY: secret,
      OPENAI_BASE_URL: server.openai,
      ANTHROPIC_API_KEY: secret,
      ANTHROPIC_BASE_URL: server.anthropic,
    });
    const request = { messages: [{ role: 'user' as const, content: 'Hi' }], tools: [], onDelta() {} };
    const error: unknown = await open({ type, model: 'some-model' })
      .complete({ ...request, signal: new AbortController().signal })
      .catch((reason: unknown) => reason);
    expect(server.requests).toHaveLength(1);
    expect(error).toBeInstanceOf(ApplicationFailure);
    return error as ApplicationFailure;
  } finally {
    await server.close();
  }
}

/** The failure of one request. */
async function refusedBy(backend: Backend, environment: Record<string, string>): Promise<ApplicationFailure> {
  const signal = new AbortController().signal;
  const request = { messages: [{ role: 'user' as const, content: 'Hi' }], tools: [], signal, onDelta() {} };
  return modelOpener(environment)(backend)
    .complete(request)
    .then(
      () => Promise.reject(new Error('It was not refused')),
      (error: unknown) => error as ApplicationFailure,
    );
}

const noModel = { status: 404, errorBody: '{"error":{"message":"There is no such model"}}' };

const shouldRetry = (value: string) => ({ 'x-should-retry': value });

describe.each(['openai', 'claude'] as const)('a failed request through %s', (type) => {
  test.each<[string, Scripted, string, boolean]>([
    ['400', { status: 400 }, 'BadRequest', false],
    ['401', { status: 401 }, 'Unauthorized', false],
    ['403', { status: 403 }, 'Forbidden', false],
    ['404', noModel, 'NotFound', false],
    ['408', { status: 408 }, 'ServerError', true],
    ['409', { status: 409 }, 'ServerError', true],
    ['413', { status: 413 }, 'BadRequest', false],
    ['422', { status: 422 }, 'BadRequest', false],
    ['429', { status: 429 }, 'RateLimited', true],
    ['500', { status: 500 }, 'ServerError', true],
    ['503', { status: 503 }, 'ServerError', true],
    ['529', { status: 529 }, 'ServerError', true],
    ['429 with x-should-retry: false', { status: 429, headers: shouldRetry('false') }, 'RateLimited', false],
    ['404 with x-should-retry: true', { ...noModel, headers: shouldRetry('true') }, 'NotFound', false],
    [
      'a model that a gateway has on none of its servers',
      { status: 503, errorBody: '{"error":{"message":"No channel","code":"model_not_found"}}' },
      'NotFound',
      false,
    ],
    ['400 with x-should-retry: true', { status: 400, headers: shouldRetry('true') }, 'BadRequest', true],
    ['an error that is no JSON', { status: 502, errorBody: '<html>' }, 'ServerError', true],
    ['a stream that is cut', { text: 'Half of', cut: true }, 'ConnectionFailed', true],
  ])('%s → %#', async (_, reply, kind, retryable) => {
    const failure = await failureOf(type, reply);
    expect(failure.type).toBe(kind);
    expect(failure.nonRetryable).toBe(!retryable);
  });

  const perMinute = 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.';
  const gemini = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
  test.each<[who: string, status: number, message: string, rest?: object]>([
    ['OpenAI', 400, 'Too long', { code: 'context_length_exceeded' }],
    ['OpenAI, in words', 400, "This model's maximum context length is 8192 tokens. However, you requested 9000."],
    ['OpenAI’s limit for a minute', 429, perMinute],
    ['Anthropic', 400, 'prompt is too long: 210000 tokens > 200000 maximum', { type: 'invalid_request_error' }],
    ['Anthropic, by size', 413, 'Request exceeds the maximum size', { type: 'request_too_large' }],
    ['Gemini', 400, gemini],
    [
      'llama.cpp',
      400,
      'the request exceeds the available context size',
      { type: 'exceed_context_size_error', code: 400 },
    ],
  ])('a context that is too long is ContextTooLong, in the words of %s', async (_, status, message, rest) => {
    const failure = await failureOf(type, { status, errorBody: JSON.stringify({ error: { message, ...rest } }) });
    expect([failure.type, failure.nonRetryable]).toEqual(['ContextTooLong', true]);
  });

  test('a quota that is spent does not pass', async () => {
    const errorBody = '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}';
    const failure = await failureOf(type, { status: 429, errorBody, headers: shouldRetry('true') });
    expect([failure.type, failure.nonRetryable]).toEqual(['QuotaSpent', true]);
    expect(failure.message).toMatch(/quota behind \w+_API_KEY is spent/);
  });

  test('401 says which variable to check, and shows no key', async () => {
    const errorBody = JSON.stringify({ error: { message: `Incorrect key ${secret}`, type: 'auth' } });
    const failure = await failureOf(type, { status: 401, errorBody });
    expect(failure.message).toContain(type === 'openai' ? 'check OPENAI_API_KEY' : 'check ANTHROPIC_API_KEY');
    expect(JSON.stringify([failure.message, failure.details, String(failure.cause)])).not.toContain('secret');
  });

  test('every failure names the address, one that is tried again too', async () => {
    for (const reply of [{ status: 429 }, { status: 503 }, { status: 401 }, noModel]) {
      const { message } = await failureOf(type, reply);
      expect(message).toMatch(new RegExp(`^${type} some-model at http://127\\.0\\.0\\.1:\\d+: ${reply.status} `));
    }
  });

  test('the provider’s wait becomes the next retry’s', async () => {
    const failure = await failureOf(type, { status: 429, headers: { 'retry-after': '7' } });
    expect(failure.nextRetryDelay).toBe(7000);
  });

  test('a refusal is ContentRefused and not retried', async () => {
    const failure = await failureOf(type, { text: 'No.', finish: type === 'openai' ? 'content_filter' : 'refusal' });
    expect([failure.type, failure.nonRetryable]).toEqual(['ContentRefused', true]);
  });
});

test.for<[what: string, backend: Partial<Backend>, environment: Record<string, string>, said: string]>([
  [
    'a variable of its own',
    { api_key_env: 'OPENROUTER_API_KEY' },
    { OPENROUTER_API_KEY: secret },
    'OPENROUTER_API_KEY',
  ],
  ['a header', { headers: { Authorization: 'Bearer ${GATE_KEY}' } }, { GATE_KEY: secret }, 'GATE_KEY'],
  ['the type', {}, { OPENAI_API_KEY: secret }, 'OPENAI_API_KEY'],
])('401 names the variable that was used, which is that of %s', async ([, rest, environment, said]) => {
  const server = await startModelServer(() => ({ status: 401 }));
  const backend: Backend = { type: 'chatcompletion', model: 'm', base_url: server.openai, ...rest };
  const failure = await refusedBy(backend, { OPENAI_API_KEY: 'another-key', ...environment });
  await server.close();
  expect(failure.message).toMatch(new RegExp(`\\(check ${said}\\)$`));
});

test('401 without a key says that none was sent, and how to send one', async () => {
  const server = await startModelServer(() => ({ status: 401 }));
  const failure = await refusedBy({ type: 'chatcompletion', model: 'm', base_url: server.openai }, {});
  await server.close();
  expect(failure.message).toContain(
    'no key was sent: set OPENAI_API_KEY, or name the variable that holds it by api_key',
  );
});

test('a wrong key of Google’s, who says so by a 400, names its variable', async () => {
  const errorBody = '[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]';
  const server = await startModelServer(() => ({ status: 400, errorBody }));
  const failure = await refusedBy({ type: 'gemini' }, { GEMINI_API_KEY: secret, GEMINI_BASE_URL: server.openai });
  await server.close();
  expect([failure.type, failure.nonRetryable]).toEqual(['Unauthorized', true]);
  expect(failure.message).toContain('(check GEMINI_API_KEY)');
});

test('a server that is not there → ConnectionFailed, retryable', async () => {
  const open = modelOpener({ OPENAI_API_KEY: secret, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
  const signal = new AbortController().signal;
  const call = open({ type: 'openai' }).complete({ messages: [], tools: [], signal, onDelta() {} });
  await expect(call).rejects.toMatchObject({ type: 'ConnectionFailed', nonRetryable: false });
});

test.each<[Backend, string]>([
  [{ type: 'openai' }, 'OPENAI_API_KEY'],
  [{ type: 'claude' }, 'ANTHROPIC_API_KEY'],
  [{ type: 'gemini' }, 'GEMINI_API_KEY'],
  [{ type: 'chatcompletion', model: 'm' }, 'OPENAI_API_KEY'],
  [{ type: 'chatcompletion', model: 'm', base_url: 'http://127.0.0.1:9', api_key_env: 'MY_KEY' }, 'MY_KEY'],
])('a missing key is named: %o', (backend, variable) => {
  expect(() => modelOpener({})(backend)).toThrow(`${variable} is not set`);
});

test('a compatible server of one’s own needs no key', () => {
  expect(modelOpener({})({ type: 'chatcompletion', model: 'm', base_url: 'http://127.0.0.1:9/v1' })).toBeDefined();
});

describe('headers', () => {
  const backend: Backend = { type: 'openai', model: 'm', headers: { 'X-Team': 'blue', 'X-Gate': 'Key ${GATE_KEY}' } };
  const environment = { OPENAI_API_KEY: secret, GATE_KEY: 'open-sesame' };

  test('come from the environment, and their secrets are in no error', async () => {
    const errorBody = '{"error":{"message":"open-sesame is wrong"}}';
    const server = await startModelServer(() => ({ status: 401, errorBody }));
    const open = modelOpener({ ...environment, OPENAI_BASE_URL: server.openai });
    const signal = new AbortController().signal;
    const call = open(backend).complete({
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [],
      signal,
      onDelta() {},
    });
    await expect(call).rejects.toThrow('[redacted] is wrong');
    await server.close();
    expect(server.requests[0]?.headers).toMatchObject({ 'x-team': 'blue', 'x-gate': 'Key open-sesame' });
  });

  test('name the variable that is not set', () => {
    expect(() => modelOpener({ OPENAI_API_KEY: secret })(backend)).toThrow('GATE_KEY is not set');
  });
});

describe('retry-after', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  test.each<[string, Record<string, string>, number | undefined]>([
    ['milliseconds beat seconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    ['seconds', { 'retry-after': '2' }, 2000],
    ['an HTTP date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    ['a date that is over', { 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, undefined],
    ['never more than two minutes', { 'retry-after': '86400' }, 120_000],
    ['no time at all', { 'retry-after': '0' }, undefined],
    ['less than nothing', { 'retry-after': '-5' }, undefined],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('%s', (_, headers, milliseconds) => {
    expect(retryDelay(new Headers(headers), now)).toBe(milliseconds);
  });
});

test.each([
  ['a zero-width space', 'sk-\u200Bsecret-1234'],
  ['a line break', 'sk-secret\n-1234'],
])('a key with %s is refused before anything is sent, for good, and by the name of its variable', async (_, key) => {
  await using server = await RawServer.start((response) => void response.end());
  const call = server.opener({ OPENAI_API_KEY: key })({ type: 'chatcompletion', model: 'm' }).ask();
  const error = await call.catch((reason: unknown) => reason as ApplicationFailure);
  expect(error).toMatchObject({ type: 'Unauthorized', nonRetryable: true });
  expect(error).toHaveProperty('message', expect.stringMatching(/^(?!.*secret).*OPENAI_API_KEY/));
  expect(server.bodies).toEqual([]);
});

describe('an answer with status 200 that is no stream', () => {
  const overloaded = { message: 'Overloaded', type: 'overloaded_error' };
  test.each<[string, Backend['type'], string, string, RegExp, boolean]>([
    [
      'an error with a status',
      'chatcompletion',
      JSON.stringify({ error: { message: 'Come back later', code: 429 } }),
      'RateLimited',
      /Come back later/,
      false,
    ],
    [
      'an error with a name',
      'openai',
      JSON.stringify({ error: { message: 'No such key', code: 'authentication_error' } }),
      'Unauthorized',
      /No such key/,
      true,
    ],
    ['a text alone', 'chatcompletion', '{"error": "out of memory"}', 'ServerError', /out of memory/, false],
    ["Anthropic's", 'claude', JSON.stringify({ type: 'error', error: overloaded }), 'ServerError', /Overloaded/, false],
    ['a page', 'chatcompletion', '<html>\nSign in to the network: now</html>', 'BadReply', /Sign in/, false],
    ['a reply that is whole', 'chatcompletion', '{"choices": []}', 'BadReply', /no stream of events: {"choices/, false],
  ])('%s', async (_, type, body, failure, message, nonRetryable) => {
    await using server = await RawServer.start((response) => void response.end(body));
    const error = await server
      .opener()({ type, model: 'm' })
      .ask()
      .catch((reason: unknown) => reason as ApplicationFailure);
    expect(error).toMatchObject({ type: failure, nonRetryable });
    expect(error).toHaveProperty('message', expect.stringMatching(message));
  });
});

test.each([
  ['key is abcd1234', 'key is [redacted]'],
  ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [redacted]'],
  ['sk-proj-1234567890 was refused', '[redacted] was refused'],
  ['https://x.test/?key=AIzaSyA1234567890', 'https://x.test/?key=[redacted]'],
  ['nothing secret here', 'nothing secret here'],
])('redacted: %s', (text, expected) => {
  expect(redact(text, ['abcd1234'])).toBe(expected);
});

describe('a connection that fails', () => {
  test.each([
    ['ECONNREFUSED', 'no connection: nothing listens there: is the server running? (ECONNREFUSED)'],
    ['ENOTFOUND', 'no connection: there is no such host (ENOTFOUND)'],
    ['CERT_HAS_EXPIRED', 'no connection: it has failed (CERT_HAS_EXPIRED)'],
    ['secret-key', 'no connection'],
    [undefined, 'no connection'],
  ])('as %s, names the address and what may be wrong, and nothing that might be secret', (code, text) => {
    const cause = Object.assign(new Error('connect secret-key'), { code });
    const error = new OpenAI.APIConnectionError({ cause: Object.assign(new TypeError('fetch failed'), { cause }) });
    const endpoint = {
      provider: 'chatcompletion',
      model: 'm',
      address: 'http://127.0.0.1:9',
      keyVariable: 'K',
      secrets: [],
    };
    expect(toFailure(error, endpoint)).toMatchObject({
      message: `chatcompletion m at http://127.0.0.1:9: ${text}`,
      type: 'ConnectionFailed',
      nonRetryable: false,
    });
  });
});

test('what a provider behind OpenRouter has said is told, and decides', async () => {
  const upstream = {
    error: { code: 'context_length_exceeded', message: 'The prompt has 9000 tokens', param: 'input' },
  };
  await using server = await RawServer.start((response) => {
    const metadata = { raw: JSON.stringify(upstream), provider_name: 'OpenAI' };
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'Provider returned error', code: 400, metadata } }));
  });
  await expect(server.opener()({ type: 'chatcompletion', model: 'm' }).ask()).rejects.toMatchObject({
    type: 'ContextTooLong',
    message: expect.stringContaining('Provider returned error: The prompt has 9000 tokens'),
  });
});

test.each([
  ['Google', 'You exceeded your current quota. Please retry in 35.2s.', 35_200],
  ['OpenAI', 'Rate limit reached. Please try again in 1.5s. Visit …', 1500],
  ['nobody', 'Too many requests', undefined],
])('how long to wait is read from the words of %s where no header says it', (_, words, delay) => {
  expect(retryDelay(new Headers(), 0, words)).toBe(delay);
  expect(retryDelay(new Headers({ 'retry-after': '2' }), 0, words)).toBe(2000);
});

test.each([301, 302, 307, 308])(
  'a redirect (%i) is told and not followed: it would get keys and conversation',
  async (status) => {
    await using other = await RawServer.start((response) => response.end());
    await using server = await RawServer.start((response) => response.writeHead(status, { location: other.url }).end());
    const headers = { 'api-key': '${OWN_KEY}' };
    const backend: Backend = { type: 'chatcompletion', model: 'm', base_url: server.url, headers };
    const { message, nonRetryable, type } = await refusedBy(backend, { OWN_KEY: secret });
    expect({ type, nonRetryable }).toEqual({ type: 'BadRequest', nonRetryable: true });
    expect(message).toContain(`it redirects to ${other.url}`);
    expect(other.paths).toEqual([]);
  },
);
