import { APIConnectionError as AnthropicConnectionError, APIError as AnthropicError } from '@anthropic-ai/sdk/error';
import { ApplicationFailure } from '@temporalio/common';
import { APIConnectionError as OpenaiConnectionError, APIError as OpenaiError } from 'openai/error';
import { failureTypes as runFailureTypes } from '../protocol/errors.ts';
import { redact } from '../util/text/redact.ts';
import { retryDelay } from '../util/retry-delay.ts';
import { isObject, parsedJson } from '../util/values.ts';

/** The types of failures of a model call. Usually those of the first group alone are retried. */
export const failureTypes = {
  rateLimited: 'RateLimited',
  serverError: 'ServerError',
  connectionFailed: 'ConnectionFailed',
  badReply: 'BadReply',
  streamStalled: 'StreamStalled',
  diskFull: 'DiskFull',

  badRequest: 'BadRequest',
  unauthorized: 'Unauthorized',
  forbidden: 'Forbidden',
  notFound: 'NotFound',
  contentRefused: 'ContentRefused',
  contextTooLong: 'ContextTooLong',
  quotaSpent: 'QuotaSpent',
  replyTooLarge: 'ReplyTooLarge',
  missingKey: runFailureTypes.missingKey,
  folderMissing: 'FolderMissing',
} as const;

export interface Endpoint {
  provider: string;
  model: string;
  /** Without a path; absent where that is the provider's own affair. */
  address?: string;
  /** The environment variable that held the key, or would have. */
  keyVariable: string;
  /** No key was sent, since none is set and the server may need none. */
  isKeyless?: boolean;
  /** Texts that must not leave the worker, such as the key. */
  secrets: string[];
}

const maxMessage = 500;

/**
 * What an error says of itself decides first: a conversation that is too long, a quota that is spent and a model that
 * is not there do not pass. Then the header `x-should-retry` decides. Without it 408, 409, 429, 5xx and connection
 * errors are retryable. Headers are left out, and so is all that causes say but the system's name for a failed
 * connection, since they may hold keys.
 */
export function toFailure(error: unknown, endpoint: Endpoint): ApplicationFailure {
  const own = causesOf(error).find((cause) => cause instanceof ApplicationFailure);
  if (own !== undefined) return own;
  if (!isFromSdk(error)) {
    // The SDKs have no error of their own for a body or event that they cannot parse, which the next try may not have.
    return failure(failureTypes.badReply, true, `unreadable reply: ${messageOf(error)}`, endpoint);
  }
  if (error instanceof OpenaiConnectionError || error instanceof AnthropicConnectionError)
    return failure(failureTypes.connectionFailed, true, noConnection(error), endpoint);
  return saidFailure(saidBy(error), endpoint, error.headers);
}

/** The SDKs' errors alone are loaded here: each SDK takes 30 MB. */
export const isFromSdk = (error: unknown): error is OpenaiError | AnthropicError =>
  error instanceof OpenaiError || error instanceof AnthropicError;

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause != null && causes.length < 9; cause = (cause as Error).cause) causes.push(cause);
  return causes;
}

const connectionHints: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there: is the server running?',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name could not be looked up: is this machine online?',
  ECONNRESET: 'the server has closed it',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
};

/** Of all else that causes say, nothing is told: it may hold keys. */
function noConnection(error: Error): string {
  const code = causesOf(error)
    .map((cause) => (cause as { code?: unknown }).code)
    .find((each) => each !== undefined);
  if (typeof code !== 'string' || !/^[A-Z_]+$/.test(code)) return 'no connection';
  return `no connection: ${connectionHints[code] ?? 'it has failed'} (${code})`;
}

export function responseFailed(error: unknown, endpoint: Endpoint): ApplicationFailure {
  const { code, message = error, type } = (error ?? {}) as { code?: unknown; message?: unknown; type?: unknown };
  const text = typeof message === 'string' ? message : 'the reply failed';
  const isOfRequest = /^(invalid|image|unsupported|empty|failed)_/.test(String(code));
  const status = statusOf(code) ?? statusOf(type) ?? (isOfRequest ? 400 : 500);
  const names = [code, type].filter((name) => typeof name === 'string');
  return saidFailure({ status, names, param: undefined, text }, endpoint);
}

export function noStream(answer: string, endpoint: Endpoint): ApplicationFailure {
  const { error } = (parsedJson(answer) ?? {}) as { error?: unknown };
  if (error != null) return responseFailed(error, endpoint);
  const text = `it is no stream of events: ${answer.trim().replace(/\s+/g, ' ')}`;
  return failure(failureTypes.badReply, true, text, endpoint);
}

export function unfitKey(endpoint: Endpoint): ApplicationFailure {
  const text = `${endpoint.keyVariable} holds a character that no header takes: copy the key anew`;
  return failure(failureTypes.unauthorized, false, text, endpoint);
}

function saidFailure(said: Said, endpoint: Endpoint, headers?: Headers): ApplicationFailure {
  const own = knownKind(said);
  const verdict = own === undefined ? headers?.get('x-should-retry') : 'false';
  const retryable = verdict === 'true' || (verdict !== 'false' && isTransient(said.status));
  return failure(own ?? typeOf(said.status), retryable, `${said.text}${hint(said, own, endpoint)}`, endpoint, {
    nextRetryDelay: retryDelay(headers, Date.now(), said.text),
    words: said.text.replace(/^(\d+) /, 'Error code: $1 - '),
  });
}

export interface Said {
  status: number | undefined;
  /** Code and type, for which providers have different uses. */
  names: string[];
  param: string | undefined;
  text: string;
}

/** Reads an SDK's error. One that comes in the middle of a stream has its status as its code, if anywhere. */
export function saidBy(error: OpenaiError | AnthropicError): Said {
  const { status, error: body } = error as { status?: number; error?: Nested };
  const upstream = upstreamOf(body);
  const { param = upstream?.param } = error as { param?: unknown };
  // Anthropic's SDK keeps the whole body, OpenAI's what is in its `error`.
  const names = [body?.code, body?.type, body?.error?.code, body?.error?.type, upstream?.code, upstream?.type];
  return {
    status: status ?? names.map(statusOf).find((each) => each !== undefined),
    names: names.filter((name) => typeof name === 'string'),
    // LiteLLM writes that there is none.
    param: typeof param === 'string' && !['', 'None'].includes(param) ? param : undefined,
    text: [messageOf(error), upstream?.message].filter((text) => typeof text === 'string' && text !== '').join(': '),
  };
}

type Nested =
  | { code?: unknown; type?: unknown; error?: Nested; message?: unknown; param?: unknown; metadata?: { raw?: unknown } }
  | undefined;

/** What a provider has said of whom OpenRouter says only that it "returned error". */
function upstreamOf(body: Nested): Nested {
  const raw = body?.metadata?.raw;
  const said = (typeof raw === 'string' ? parsedJson(raw) : raw) as Nested;
  if (typeof raw === 'string' && !isObject(said)) return { message: raw };
  return said?.error ?? said;
}

/**
 * Of errors in the middle of a stream, which itself has status 200 (for Anthropic
 * https://platform.claude.com/docs/en/api/errors). Any other name is taken for a passing trouble.
 */
const statuses: Record<string, number> = {
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  server_error: 500,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
  invalid_prompt: 400,
  invalid_request_error: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
};

function statusOf(name: unknown): number | undefined {
  const number = Number(name);
  if (number >= 400 && number < 600) return number;
  return typeof name === 'string' && Object.hasOwn(statuses, name) ? statuses[name] : undefined;
}

const contextWords = [
  'prompt is too long', // Anthropic
  'maximum context length', // OpenAI, vLLM, OpenRouter
  'exceeds the context window', // OpenAI's Responses
  'exceed context limit', // Anthropic, input and max_tokens together
  'reached its context window limit', // Claude Code
  'exceeds the maximum number of tokens', // Gemini
  'exceeds the available context size', // llama.cpp
  'longer than the maximum model length', // vLLM
  'request too large for', // OpenAI, a 429: more than its limit for a minute, so waiting does not help
  'context length exceeded',
  'context window exceeded',
];

/** Servers answer 500 to a request that can never succeed, as llama.cpp does where a template fails. */
const requestWords = [
  'chat template',
  'jinja',
  'must be at the beginning',
  'must alternate',
  'input is not supported',
  'role not supported',
];

export function knownKind({ status, names, text }: Said): string | undefined {
  const isNamed = (...known: string[]): boolean => names.some((name) => known.includes(name));
  if (status === 402 || isNamed('insufficient_quota', 'billing_error')) return failureTypes.quotaSpent;
  // Gateways answer 503 for a model that none of their servers has.
  if (status === 404 || isNamed('model_not_found')) return failureTypes.notFound;
  // Google says it by a 400.
  if (/\bapi key not valid\b/i.test(text)) return failureTypes.unauthorized;
  if (names.some((name) => /^content_filter$|policy(_violation)?$/.test(name))) return failureTypes.contentRefused;
  if (isNamed('context_length_exceeded', 'exceed_context_size_error', 'request_too_large'))
    return failureTypes.contextTooLong;
  const words = text.toLowerCase();
  const isRequest = status === undefined || [400, 413, 422, 429, 500].includes(status);
  if (isRequest && contextWords.some((each) => words.includes(each))) return failureTypes.contextTooLong;
  if (status === 500 && requestWords.some((each) => words.includes(each))) return failureTypes.badRequest;
  return undefined;
}

export function contentRefused(endpoint: Endpoint, words = ''): ApplicationFailure {
  const text = `the provider refused to answer${words && `: ${words}`}`;
  return failure(failureTypes.contentRefused, false, text, endpoint);
}

export function streamCut(endpoint: Endpoint): ApplicationFailure {
  return failure(failureTypes.connectionFailed, true, 'the stream ended before the reply was complete', endpoint);
}

export function streamStalled(endpoint: Endpoint, seconds: number): ApplicationFailure {
  // Anthropic's SDK replaces an error that speaks of a timeout by one of its own.
  const hint = 'it may be busy with other requests; docs/models.md says how it gets more time';
  return failure(failureTypes.streamStalled, true, `nothing came for ${seconds} s (${hint})`, endpoint);
}

/** @param target from the server */
export function redirected(endpoint: Endpoint, target: string): ApplicationFailure {
  const text = `it redirects to ${target.slice(0, 200)}, and nothing is sent there: set its base_url to what it means`;
  return failure(failureTypes.badRequest, false, text, endpoint);
}

/** It is not asked for again, since each costs as much. */
export function replyTooLarge(endpoint: Endpoint, what: string): ApplicationFailure {
  return failure(failureTypes.replyTooLarge, false, `the reply was cut off: ${what}`, endpoint);
}

export function serverFailed(endpoint: Endpoint, what: string): ApplicationFailure {
  return failure(failureTypes.serverError, true, what, endpoint);
}

function failure(
  type: string,
  retryable: boolean,
  text: string,
  { address, provider, model, secrets }: Endpoint,
  { nextRetryDelay, words }: { nextRetryDelay?: number | undefined; words?: string } = {},
): ApplicationFailure {
  const where = address === undefined ? '' : ` at ${address}`;
  return ApplicationFailure.create({
    type,
    nonRetryable: !retryable,
    message: redact(`${provider} ${model}${where}: ${text}`, secrets).slice(0, maxMessage),
    // An agent that can go on after an error is told of it in the provider's own words.
    ...(words !== undefined && { details: [redact(words, secrets).slice(0, maxMessage)] }),
    ...(retryable && nextRetryDelay !== undefined && { nextRetryDelay }),
  });
}

const isTransient = (status = 500): boolean => [408, 409, 429].includes(status) || status >= 500;

function typeOf(status: number | undefined): string {
  if (status === undefined) return failureTypes.connectionFailed;
  const known: Record<number, string> = {
    401: failureTypes.unauthorized,
    403: failureTypes.forbidden,
    429: failureTypes.rateLimited,
  };
  return known[status] ?? (isTransient(status) ? failureTypes.serverError : failureTypes.badRequest);
}

function hint({ status, text }: Said, kind: string | undefined, { isKeyless, keyVariable, model }: Endpoint): string {
  if (kind === failureTypes.quotaSpent)
    return ` (the quota behind ${keyVariable} is spent; it does not come back by waiting)`;
  if (status === 401 || kind === failureTypes.unauthorized)
    return isKeyless
      ? ` (no key was sent: set ${keyVariable}, or name the variable that holds it by api_key_env)`
      : ` (check ${keyVariable})`;
  if (kind === failureTypes.notFound) return ` (is "${model}" the right model, and the base URL?)`;
  if (text.includes('/v1/responses')) return ' (a backend of the type openai speaks /v1/responses)';
  return '';
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
