import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { TokenUsage } from '../../../protocol/message.ts';
import { retryDelay } from '../../../util/retry-delay.ts';
import { parsedJson } from '../../../util/values.ts';
import { spentIn, type Work } from '../../../protocol/search.ts';

/** A work with its text, as its provider gives it, before `normalized`. */
export interface SearchHit extends Work {
  text: string;
}

export interface SearchFindings {
  /** The best first. */
  found: SearchHit[];
  /** What it has cost, where the provider says so. */
  usage?: TokenUsage;
}

/**
 * Finds what fits a query.
 *
 * @param wanted how many results will be used; there may be more
 * @throws `ApplicationFailure` of type `SearchFailed`, see `paidIn`; the signal's reason when it is aborted
 */
export type Search = (query: string, wanted: number, signal: AbortSignal) => Promise<SearchFindings>;

const searchFailedType = 'SearchFailed';

/** A failure that comes again until somebody changes what the message names. */
export const searchRefused = (message: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, searchFailedType);

/** A failure that a retry may mend. @param nextRetryDelay the delay that the service asks for, in milliseconds */
export const searchFailed = (message: string, nextRetryDelay?: number): ApplicationFailure =>
  ApplicationFailure.create({
    type: searchFailedType,
    message,
    ...(nextRetryDelay !== undefined && { nextRetryDelay }),
  });

/** A failure, with what the search has cost all the same: which `paidIn` reads. */
export const paidFailure = (failure: ApplicationFailure, usage: TokenUsage): ApplicationFailure =>
  ApplicationFailure.fromError(failure, { details: [{ usage }] });

export const paidIn = (error: unknown): TokenUsage | undefined =>
  error instanceof ApplicationFailure ? spentIn(error.details) : undefined;

export interface Service {
  provider: string;
  addressVariable: string;
  hints: Record<number, string>;
  /** How long to wait after a 429 that has no `Retry-After`, in milliseconds, as other headers say; undefined if none does. */
  wait?: (headers: Headers) => number | undefined;
}

/** A wait that is longer than this, in milliseconds, is one for another day. */
const longestWait = 60_000;

/** How much of an answer is read at most, in bytes: twenty results have some kilobytes. */
const maxBytes = 5_000_000;

/**
 * @param timeoutMs how long the whole answer may take
 * @throws `ApplicationFailure` of type `SearchFailed`, retryable for the statuses 408, 429 and 5xx, for a timeout, and
 *   if the service is not reached. Its message holds neither addresses nor keys.
 */
export async function ask(
  service: Service,
  { url, ...request }: { url: URL | string } & RequestInit,
  signal: AbortSignal,
  timeoutMs = 15_000,
): Promise<unknown> {
  try {
    const timed = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(url, { ...request, signal: timed });
    if (!response.ok) throw refusal(service, response);
    const answer = parsedJson(await textOf(service, response));
    if (answer !== undefined) return answer;
    throw searchRefused(`${service.provider} answered with what is no JSON; check ${service.addressVariable}`);
  } catch (error) {
    if (signal.aborted || !(error instanceof TypeError || error instanceof DOMException)) throw error;
    throw unreached(service, error);
  }
}

function refusal({ provider, addressVariable, hints, wait }: Service, { status, headers }: Response): Error {
  const check = status >= 500 ? 'the fault is on its side' : `check ${addressVariable}`;
  const said = `${provider} answered with status ${status}`;
  const message = `${said}; ${hints[status] ?? check}`;
  const transient = status === 408 || status === 429 || status >= 500;
  if (!transient) return searchRefused(message);
  const pause = status === 429 ? wait?.(headers) : undefined;
  if (pause !== undefined && pause > longestWait) return searchRefused(`${said}; ${spent}`);
  // Searches that were refused together would be so again if all of them came back at the same moment.
  const apart = pause && Math.round(pause * (1 + 2 * Math.random()));
  return searchFailed(message, retryDelay(headers, Date.now()) ?? apart);
}

export const spent = 'what its plan allows is used up; see its dashboard';

async function textOf({ provider }: Service, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw searchRefused(`${provider} answered with over ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Leaves out the messages of `fetch`, which may hold the address or the key. */
function unreached({ provider, addressVariable }: Service, { name, cause }: Error): Error {
  const check = `check ${addressVariable}`;
  if (name === 'TimeoutError') return searchFailed(`${provider} did not answer in time; ${check}`);
  if (cause === undefined) {
    return searchRefused(`${provider} cannot be asked; check what its address and its key are made of`);
  }
  const { code = 'no connection' } = cause as { code?: string };
  return searchFailed(`${provider} was not reached (${code}); ${check}`);
}

const answerSchema = z.object({ results: z.array(z.unknown()) });

const entrySchema = z.object({
  title: z.string().min(1),
  url: z.string().regex(/^https?:\/\/\S+$/i),
  content: z.string().nullish(),
});

/**
 * Entries without a title or a web address are left out. @throws `ApplicationFailure` if there is no list of results
 */
export function resultsIn(answer: unknown, { provider, addressVariable }: Service): SearchHit[] {
  const checked = answerSchema.safeParse(answer);
  if (!checked.success) throw searchRefused(`${provider} answered without a list of results; check ${addressVariable}`);
  return checked.data.results.flatMap((entry) => {
    const { success, data } = entrySchema.safeParse(entry);
    return success ? [{ title: data.title, url: data.url, text: data.content ?? '' }] : [];
  });
}
