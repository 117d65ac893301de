import { stripVTControlCharacters } from 'node:util';
import type { RunSnapshot, PendingCall } from '../../client.ts';
import type { RunEvent } from '../../protocol/events.ts';
import type { LogEntry } from '../../protocol/sinks.ts';
import { entriesOf, withoutEmoji } from '../../workflows/log-lines.ts';
import { logLine } from '../../worker/log-sink.ts';

/** Turns looks at a run into the lines that tell what is new. */
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

  /** A line of our own, stamped with the present time. */
  line(text: string): string {
    return this.#format({ text, stamped: true }, new Date().toISOString());
  }

  /** A block of our own, without a stamp. */
  block(text: string): string {
    return this.#format({ text, stamped: false }, '');
  }

  /** The agent that a model call works for; of another call, what it does. */
  agentOf({ activityId, activity }: PendingCall): string {
    return this.#agents.get(activityId) ?? activity;
  }

  #eventLines(event: RunEvent): string[] {
    if (event.type === 'thinking') {
      // Its parent goes on meanwhile, and has a text in progress of its own.
      const name = event.purpose === 'shadow' ? `${event.agent}'s shadow` : event.agent;
      this.#agents.set(event.activityId, name);
    }
    return entriesOf(event).map((entry) => this.#format(entry, event.at));
  }

  /** A line for each call that failed since the last look and is made again. */
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

/** What models write must not steer the terminal. */
export function harmless(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return stripVTControlCharacters(text).replace(/[\0-\x08\x0B-\x1F\x7F-\x9F]/g, '');
}
