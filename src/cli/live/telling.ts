import { stripVTControlCharacters } from 'node:util';
import type { PendingCall, RunSnapshot } from '../../client.ts';
import type { RunEvent } from '../../protocol/events.ts';
import type { LogEntry } from '../../protocol/sinks.ts';
import { entriesOf, withoutEmoji } from '../../workflows/log-lines.ts';
import { logLine } from '../../worker/log-sink.ts';

/** Turns each snapshot of a run into the lines that tell what is new in it. */
export class Telling {
  readonly #plain: boolean;
  readonly #agents = new Map<string, string>();
  readonly #told = new Map<string, number>();

  /** @param plain without emoji */
  constructor(plain: boolean) {
    this.#plain = plain;
  }

  linesOf({ events, calls }: RunSnapshot): string[] {
    return [...events.flatMap((event) => this.#eventLines(event)), ...this.#retryLines(calls)];
  }

  /** A line of the command itself, stamped with the present time. */
  line(text: string): string {
    return this.#format({ text, stamped: true }, new Date().toISOString());
  }

  /** A block of lines of the command itself, without a stamp. */
  block(text: string): string {
    return this.#format({ text, stamped: false }, '');
  }

  /** The agent that a model call is for; for any other call, its activity type. */
  agentOf({ activityId, activity }: PendingCall): string {
    return this.#agents.get(activityId) ?? activity;
  }

  #eventLines(event: RunEvent): string[] {
    if (event.type === 'thinking') {
      // An agent and its shadow work at the same time, and each has a text in progress.
      const name = event.purpose === 'shadow' ? `${event.agent}'s shadow` : event.agent;
      this.#agents.set(event.activityId, name);
    }
    return entriesOf(event).map((entry) => this.#format(entry, event.at));
  }

  /** A line for each call that has failed since the last snapshot and is made again. */
  #retryLines(calls: PendingCall[]): string[] {
    return calls.flatMap((call) => {
      const { activityId, attempt, lastFailure } = call;
      if (attempt <= (this.#told.get(activityId) ?? 1)) return [];
      this.#told.set(activityId, attempt);
      return [
        this.line(`⚠️ [${this.agentOf(call)}] try ${attempt}: ${lastFailure ?? 'the one before did not finish'}`),
      ];
    });
  }

  #format(entry: LogEntry, at: string): string {
    const line = harmless(logLine(entry, at));
    return this.#plain ? withoutEmoji(line) : line;
  }
}

/** A text without control characters other than tab and newline, so that what a model writes cannot steer the terminal. */
export function harmless(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return stripVTControlCharacters(text).replace(/[\0-\x08\x0B-\x1F\x7F-\x9F]/g, '');
}
