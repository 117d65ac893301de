import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { refusedTries } from './own-store.ts';
import { estimateUsage } from '../models/estimate.ts';
import { failureTypes } from '../models/failures.ts';
import type { Message, TokenUsage } from '../protocol/message.ts';
import type { ModelProgress } from '../protocol/model-call.ts';
import { sumOfUsage, type Store, type Try } from '../store/store.ts';
import type { Backend } from '../protocol/settings.ts';
import { summaryNumber, tryNumber } from '../store/try-number.ts';

export async function recordTry(store: Store, key: string, usage: TokenUsage): Promise<void> {
  const { cancellationSignal, info } = Context.current();
  await record(store, key, { attempt: tryNumber(info), usage, failed: !cancellationSignal.aborted });
}

/** By the last heartbeat of a try that died with its worker and recorded nothing itself. */
export async function recordDeadTry(store: Store, key: string, messages: Message[]): Promise<void> {
  const { info } = Context.current();
  const {
    attempt = info.attempt,
    characters = 0,
    thought = 0,
  } = (info.heartbeatDetails ?? {}) as Partial<ModelProgress>;
  if (attempt >= info.attempt || characters + thought === 0) return;
  const usage = estimateUsage(messages, { characters: characters + thought });
  await record(store, key, { attempt: tryNumber({ ...info, attempt }), usage, failed: false });
}

export async function recordSummary(store: Store, key: string, usage: TokenUsage): Promise<void> {
  const tries = await store.tries(key).catch(() => []);
  await record(store, key, { attempt: summaryNumber(tries), usage, failed: false });
}

/** What the store does not take is left out: the call itself matters more. */
async function record(store: Store, key: string, tried: Try): Promise<void> {
  await store.recordTry(key, tried).catch((error: unknown) => {
    Context.current().log.warn(`What a try has cost is not counted: ${(error as Error).message}`);
  });
}

/** Tries that failed after content, which costs money: by what the reply is, or by any fault. */
const mostPaid = { reply: 4, any: 8 };

/** From the start, which is likely to be the server's way. */
const mostUnreadable = 8;

export const isUnreadable = (error: unknown): boolean =>
  error instanceof ApplicationFailure && error.type === failureTypes.badReply;

/**
 * What passes is tried again for as long as the agent has time, unless `max_retries` are used up, or too many tries
 * have failed that were paid for.
 * @returns the error itself, or an `ApplicationFailure` whose details are the provider's words, whatever it had
 *   besides, and the `TokenUsage` of all tries so far if they have cost anything
 */
export async function failedFor(thrown: unknown, store: Store, key: string, backend: Backend): Promise<unknown> {
  const { cancellationSignal, info } = Context.current();
  if (cancellationSignal.aborted || !(thrown instanceof ApplicationFailure)) return thrown;
  const { details, message, nextRetryDelay, nonRetryable, type } = thrown;
  const tries = await store.tries(key).catch(() => []);
  const end = nonRetryable ? undefined : whyGivenUp(type, tries, info.attempt - refusedTries(info), backend);
  const spent = sumOfUsage(tries.map(({ usage }) => usage));
  if (end === undefined && spent.inputTokens === 0) return thrown;
  const [words = message, ...others] = details ?? [];
  return ApplicationFailure.create({
    message: end === undefined ? message : `${message} (given up after ${end})`,
    nonRetryable: nonRetryable === true || end !== undefined,
    ...(type != null && { type }),
    ...(nextRetryDelay != null && end === undefined && { nextRetryDelay }),
    details: [words, ...others, ...(spent.inputTokens > 0 ? [spent] : [])],
  });
}

function whyGivenUp(type: unknown, tries: Try[], attempt: number, { max_retries: retries = Infinity }: Backend) {
  if (attempt > retries) return `${attempt} ${attempt === 1 ? 'try' : 'tries'}: max_retries is ${retries}`;
  const failed = tries.filter((each) => each.failed);
  const paid = failed.filter(({ usage }) => usage.inputTokens > 0).length;
  const isReply = type === failureTypes.badReply || type === failureTypes.streamStalled;
  if (paid >= (isReply ? mostPaid.reply : mostPaid.any)) return `${paid} tries that were paid for`;
  if (failed.length - paid >= mostUnreadable) return `${failed.length} replies that could not be read`;
  return undefined;
}
