import type { PendingCall } from '../../client.ts';
import { durationText } from '../../workflows/runtime/duration.ts';
import { shortened } from '../../workflows/runtime/size.ts';

const longestFailure = 240;

/** A line for the calls that have failed alike and are made again. @param cancel the command that ends the run */
export function retryLines(
  calls: PendingCall[],
  agentOf: (call: PendingCall) => string,
  cancel: string,
  now: number,
): string[] {
  const failed = calls.filter(({ attempt }) => attempt > 1);
  const alike = Map.groupBy(failed, ({ lastFailure = 'it did not finish' }) => lastFailure.replace(/\s+/g, ' ').trim());
  const left = (at: string): string => durationText(Date.parse(at) - now);
  return [...alike].map(([failure, together]) => {
    const agents = [...new Set(together.map(agentOf))].toSorted().join(', ');
    const [next] = together.toSorted((one, other) => ((one.nextTryAt ?? '~') < (other.nextTryAt ?? '~') ? -1 : 1));
    const { attempt = 1, endsAt, maxAttempts, nextTryAt } = next ?? {};
    const tries = `try ${attempt}${maxAttempts === undefined ? '' : ` of ${maxAttempts}`}`;
    const when = nextTryAt === undefined ? 'is under way' : `in ${left(nextTryAt)}`;
    const most = endsAt === undefined ? '' : `, and more for up to ${left(endsAt)}`;
    return `⚠️ [${agents}] ${shortened(failure, longestFailure)}; ${tries} ${when}${most}. To end the run: ${cancel}`;
  });
}

export const isWriting = ({ attempt, progress }: PendingCall): boolean =>
  progress?.attempt === attempt && progress.characters + (progress.thought ?? 0) > 0;

/** Those that are told where nothing is redrawn: at the first failure, and at twice as many tries each time. */
export function dueRetries(calls: PendingCall[], due: Map<string, number>): PendingCall[] {
  const dueCalls = calls.filter(({ activityId, attempt }) => attempt >= (due.get(activityId) ?? 2));
  for (const { activityId, attempt } of dueCalls) due.set(activityId, 2 * attempt);
  return dueCalls;
}
