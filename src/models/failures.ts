import Anthropic from '@anthropic-ai/sdk';
import { ApplicationFailure } from '@temporalio/common';
import OpenAI from 'openai';
import { redact } from './redact.ts';

/** Types of the failures that leave a model call. Only the first group is retried. */
export const failureTypes = {
  rateLimited: 'RateLimited',
  serverError: 'ServerError',
  connectionFailed: 'ConnectionFailed',
  badReply: 'BadReply',

  badRequest: 'BadRequest',
  unauthorized: 'Unauthorized',
  forbidden: 'Forbidden',
  notFound: 'NotFound',
  contentRefused: 'ContentRefused',
  missingKey: 'MissingKey',
  folderMissing: 'FolderMissing',
} as const;

/** Where a failed request went: what a person needs to mend it. */
export interface Endpoint {
  /** Backend type: `openai`, `claude`… */
  provider: string;
  model: string;
  /** Environment variable that the key came from. */
  keyVariable: string;
  /** Texts that must not leave the worker. */
  secrets: string[];
}

const maxMessage = 500;

/**
 * Turns whatever a provider's SDK threw into a typed `ApplicationFailure`.
 * `x-should-retry` wins; 408, 409, 429, 5xx and connection errors (no status) are retryable, every other status is not.
 * Headers and causes stay behind, since they may hold keys.
 */
export function toFailure(error: unknown, endpoint: Endpoint): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (!(error instanceof OpenAI.APIError || error instanceof Anthropic.APIError)) {
    // Neither SDK names what it cannot parse: a malformed body or event ends up here, and may be well next time.
    return failure(failureTypes.badReply, true, `unreadable reply: ${messageOf(error)}`, endpoint);
  }
  const { status } = error as { status: number | undefined };
  const headers = error.headers as Headers | undefined;
  const verdict = headers?.get('x-should-retry');
  const retryable = verdict === 'true' || (verdict !== 'false' && isTransient(status));
  const text = status === undefined ? messageOf(error) : `${error.message}${hint(status, endpoint)}`;
  return failure(typeOf(status, (error as { code?: unknown }).code), retryable, text, endpoint, {
    nextRetryDelay: retryDelay(headers, Date.now()),
    words: error.message.replace(/^(\d+) /, 'Error code: $1 - '),
  });
}

/** A reply that the provider itself withheld. */
export function contentRefused(endpoint: Endpoint): ApplicationFailure {
  return failure(failureTypes.contentRefused, false, 'the provider refused to answer', endpoint);
}

/** A stream that ended before its reply was complete. */
export function streamCut(endpoint: Endpoint): ApplicationFailure {
  return failure(failureTypes.connectionFailed, true, 'the stream ended before the reply was complete', endpoint);
}

function failure(
  type: string,
  retryable: boolean,
  text: string,
  { provider, model, secrets }: Endpoint,
  { nextRetryDelay, words }: { nextRetryDelay?: number | undefined; words?: string } = {},
): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    nonRetryable: !retryable,
    message: redact(`${provider} ${model}: ${text}`, secrets).slice(0, maxMessage),
    // As an agent is told of it that can go on after an error: the provider's own words.
    ...(words !== undefined && { details: [redact(words, secrets).slice(0, maxMessage)] }),
    ...(retryable && nextRetryDelay !== undefined && { nextRetryDelay }),
  });
}

function isTransient(status: number | undefined): boolean {
  return status === undefined || [408, 409, 429].includes(status) || status >= 500;
}

function typeOf(status: number | undefined, code: unknown): string {
  if (status === undefined) return failureTypes.connectionFailed;
  if (code === 'content_filter' || code === 'content_policy_violation') return failureTypes.contentRefused;
  const known: Record<number, string> = {
    401: failureTypes.unauthorized,
    403: failureTypes.forbidden,
    404: failureTypes.notFound,
    429: failureTypes.rateLimited,
  };
  return known[status] ?? (isTransient(status) ? failureTypes.serverError : failureTypes.badRequest);
}

function hint(status: number, { keyVariable, model }: Endpoint): string {
  if (status === 401) return ` (check ${keyVariable})`;
  if (status === 404) return ` (is "${model}" the right model, and the base URL?)`;
  return '';
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Longer waits than this are a provider's idea of a closed day; the retry policy finds out by itself. */
const longest = 120_000;

/**
 * How long a provider asks to wait, in milliseconds from 0 to 120,000; undefined where it does not say.
 * `retry-after-ms` beats `retry-after`, which holds seconds or an HTTP date.
 *
 * @param now milliseconds since the epoch
 */
export function retryDelay(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = numberIn(headers?.get('retry-after-ms'));
  if (milliseconds !== undefined) return clamp(milliseconds);
  const after = headers?.get('retry-after');
  const seconds = numberIn(after);
  if (seconds !== undefined) return clamp(seconds * 1000);
  const date = Date.parse(after ?? '');
  return Number.isNaN(date) ? undefined : clamp(date - now);
}

function numberIn(text: string | null | undefined): number | undefined {
  const number = Number(text ?? NaN);
  return text?.trim() === '' || Number.isNaN(number) ? undefined : number;
}

const clamp = (milliseconds: number): number => Math.min(longest, Math.max(0, Math.round(milliseconds)));
