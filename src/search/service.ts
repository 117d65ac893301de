import { retryDelay } from '../models/failures.ts';
import { searchFailed, searchRefused } from './failures.ts';

/** A service that is searched over HTTP. */
export interface Service {
  provider: string;
  /** Environment variable of its address. */
  addressVariable: string;
  /** What to check where it refuses, by its status. */
  hints: Record<number, string>;
}

/** In milliseconds. */
const defaultTimeout = 15_000;

/**
 * What a service answers, as JSON.
 *
 * @param timeoutMs how long the whole answer may take
 * @throws `ApplicationFailure` of type `SearchFailed`: retryable for 408, 429, 5xx, a timeout and where the service is
 *   not reached; not for any other status, and what is no JSON. Neither addresses nor keys stand in its message.
 */
export async function ask(
  service: Service,
  { url, ...request }: { url: URL | string } & RequestInit,
  signal: AbortSignal,
  timeoutMs = defaultTimeout,
): Promise<unknown> {
  try {
    const timed = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(url, { ...request, signal: timed });
    if (!response.ok) throw refusal(service, response);
    return parsed(service, await response.text());
  } catch (error) {
    if (signal.aborted || !(error instanceof TypeError || error instanceof DOMException)) throw error;
    throw unreached(service, error);
  }
}

function refusal({ provider, addressVariable, hints }: Service, { status, headers }: Response): Error {
  const check = status >= 500 ? 'the fault is on its side' : `check ${addressVariable}`;
  const message = `${provider} answered with status ${status}; ${hints[status] ?? check}`;
  const transient = status === 408 || status === 429 || status >= 500;
  return transient ? searchFailed(message, retryDelay(headers, Date.now())) : searchRefused(message);
}

function parsed({ provider, addressVariable }: Service, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw searchRefused(`${provider} answered with what is no JSON; check ${addressVariable}`);
  }
}

/** Messages of `fetch` stay behind, since they may hold the address or the key. */
function unreached({ provider, addressVariable }: Service, { name, cause }: Error): Error {
  const check = `check ${addressVariable}`;
  if (name === 'TimeoutError') return searchFailed(`${provider} did not answer in time; ${check}`);
  if (cause === undefined) {
    return searchRefused(`${provider} cannot be asked; check what its address and its key are made of`);
  }
  const { code = 'no connection' } = cause as { code?: string };
  return searchFailed(`${provider} was not reached (${code}); ${check}`);
}
