import type { PendingCall } from '../../client.ts';
import type { RunEvent } from '../../messages/events.ts';

/** Which agent each call works for, and which retries have been told of. */
export class CallNames {
  readonly #agents = new Map<string, string>();
  readonly #told = new Map<string, number>();

  learn(event: RunEvent): void {
    if (event.type === 'thinking') this.#agents.set(event.activityId, event.agent);
  }

  agentOf(activityId: string): string {
    return this.#agents.get(activityId) ?? activityId;
  }

  /** A line for each call that failed since the last look and is made again. */
  newRetries(calls: PendingCall[]): string[] {
    return calls.flatMap(({ activityId, attempt, lastFailure }) => {
      if (attempt <= (this.#told.get(activityId) ?? 1)) return [];
      this.#told.set(activityId, attempt);
      return [
        `⚠️ [${this.agentOf(activityId)}] try ${attempt}: ${lastFailure ?? 'the one before did not finish'}`,
      ];
    });
  }
}
