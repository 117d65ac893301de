import Anthropic from '@anthropic-ai/sdk';
import { ApplicationFailure } from '@temporalio/common';
import OpenAI from 'openai';
import { redact } from './redact.ts';

/** The types of failures of a model call. Usually those of the first group alone are retried. */
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

/** Where a failed request went, which a person must know to mend it. */
export interface Endpoint {
  /** The type of the backend, such as `openai`. */
  provider: string;
  model: string;
  /** The environment variable that held the key. */
  keyVariable: string;
  /** Texts that must not leave the worker, such as the key. */
  secrets: string[];
}

/** In characters. */
const maxMessage = 500;

/**
 * Turns whatever a provider's SDK threw into a typed `ApplicationFailure`. The header `x-should-retry` decides whether it
 * is retryable. Without it 408, 409, 429, 5xx and connection errors (which have no status) are, and any other status is
 * not. Headers and causes are left out, since they may hold keys.
 */
export function toFailure(error: unknown, endpoint: Endpoint): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (!(error instanceof OpenAI.APIError || error instanceof Anthropic.APIError)) {
    // The SDKs have no error of their own for a body or event that they cannot parse, which the next try may not have.
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

/** The failure of a reply that the provider withheld. */
export function contentRefused(endpoint: Endpoint): ApplicationFailure {
  return failure(failureTypes.contentRefused, false, 'the provider refused to answer', endpoint);
}

/** The failure of a stream that ended before its reply was complete. */
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
    // An agent that can go on after an error is told of it in the provider's own words.
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

/** In milliseconds. A provider that asks for more is tried again after this time nevertheless. */
const longest = 120_000;

/**
 * How long a provider asks to wait, in milliseconds from 0 to 120,000; undefined if it does not say.
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
