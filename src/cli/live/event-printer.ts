import stringWidth from 'string-width';
import type { PendingCall, RunSnapshot } from '../../client.ts';
import type { RunEvent } from '../../protocol/events.ts';
import type { LogEntry } from '../../protocol/sinks.ts';
import { entriesOf, withoutEmoji } from '../../workflows/log-lines.ts';
import { printable } from '../../util/text/printable.ts';
import { logLine } from '../../worker/log-sink.ts';
import { wrapped } from './screen.ts';

export class EventPrinter {
  readonly #how: {
    plain: boolean;
    isChat: boolean;
    columns: (() => number) | undefined;
    typed: (text: string) => string;
  };
  readonly #agents = new Map<string, string>();
  #whyIsTold = false;
  /** Why agents have failed, as far as it is told: a wrong key, say, concerns all of them. */
  readonly #failures = new Set<string>();

  /**
   * @param isChat whether a person types what is said, and need not be told of it, nor that it was answered
   * @param columns the width of the terminal: lines break there between words, and have the time of day alone; absent where
   *   lines go elsewhere, which are then as in the log
   */
  constructor(plain: boolean, isChat = false, columns?: () => number, typed = exactly) {
    this.#how = { plain, isChat, columns, typed };
  }

  linesOf({ events }: Pick<RunSnapshot, 'events'>): string[] {
    return events.flatMap((event) => this.#eventLines(event)).map((text) => this.#broken(text));
  }

  line(text: string): string {
    return this.#format({ text, stamped: true }, new Date().toISOString());
  }

  /** Without a stamp, to the letter. */
  block(text: string): string {
    return this.#format({ text, stamped: false }, '', exactly);
  }

  /** The agent that a call is for, of a model or of a tool that shows what it has so far; else the call's activity type. */
  readonly agentOf = ({ activityId, activity, progress }: PendingCall): string =>
    this.#agents.get(activityId) ?? progress?.agent ?? activity;

  #eventLines(event: RunEvent): string[] {
    if (event.type === 'thinking') {
      // An agent and its shadow work at the same time, and each has a text in progress.
      const name = event.purpose === 'shadow' ? `${event.agent}'s shadow` : event.agent;
      this.#agents.set(event.activityId, name);
    }
    if (this.#how.isChat && isPlainInChat(event)) return [];
    // What a person is to decide about stands there to the letter.
    const typed = event.type === 'approval_requested' ? exactly : this.#how.typed;
    return this.#entriesOf(event).map((entry) => this.#format(entry, event.at, typed));
  }

  /**
   * In the log, a decision to start over, the request that follows from it and the attempt that begins then each have the
   * reason. One after the other on a screen, the first one is enough. So is the first of failures that are alike.
   */
  #entriesOf(event: RunEvent): LogEntry[] {
    const entries = entriesOf(this.#withoutTold(event));
    if (event.type === 'decision') this.#whyIsTold = event.decision === 'restart';
    if (event.type === 'restart' && event.by === 'person') this.#whyIsTold = false;
    if (event.type !== 'restart' && (event.type !== 'attempt' || !this.#whyIsTold)) return entries;
    if (event.type === 'attempt') this.#whyIsTold = false;
    // The attempt's banner goes on behind the reason and the instructions.
    return entries.map((entry) => ({ ...entry, text: entry.text.replace(/\nReason: [^]*?(?=\n---\n\n🚀|$)/, '') }));
  }

  #withoutTold(event: RunEvent): RunEvent {
    if (event.type === 'out' && !event.timedOut) {
      if (this.#failures.has(event.reason)) return { ...event, reason: 'for the same reason' };
      this.#failures.add(event.reason);
    }
    if (event.type !== 'warning' || !/^attempt \d+ failed: /.test(event.text)) return event;
    const text = [...this.#failures].reduce((left, failure) => left.replaceAll(`: ${failure}`, ''), event.text);
    return { ...event, text };
  }

  #format(entry: LogEntry, at: string, typed = this.#how.typed): string {
    const line = typed(printable(logLine(entry, at, this.#how.columns !== undefined)));
    return this.#how.plain ? withoutEmoji(line) : line;
  }

  #broken(text: string): string {
    const columns = this.#how.columns?.();
    if (columns === undefined) return text;
    // What goes on is indented. A line that just fits stays as it is.
    const lines = text.split('\n').map((line) => (stringWidth(line) <= columns ? [line] : wrapped(line, columns - 2)));
    return lines.map((pieces) => pieces.join('\n  ')).join('\n');
  }
}

const exactly = (text: string): string => text;

/** Whether an event only repeats what the person has typed or done, or that it is answered. */
const isPlainInChat = (event: RunEvent): boolean =>
  event.type === 'turn' ||
  (event.type === 'stopped' && event.why === 'cancelled') ||
  (event.type === 'final' && ['answered', 'submitted'].includes(event.outcome));
