import type { PendingCall } from '../../client.ts';
import type { RunEvent } from '../../messages/events.ts';
import { entriesOf, withoutEmoji, type LogEntry } from '../../messages/lines.ts';
import type { OrchestrationState } from '../../messages/state.ts';
import { logLine } from '../../worker/log-sink.ts';
import { CallNames } from './call-names.ts';
import type { View } from './view.ts';

/** How long nothing may be said before a line tells that the run goes on. */
const silenceMs = 30_000;

/** Lines as they come: for pipes, logs and `--plain`. */
export class PlainView implements View {
  readonly #plain: boolean;
  readonly #names = new CallNames();
  #saidAt = Date.now();

  constructor(plain: boolean) {
    this.#plain = plain;
  }

  event(event: RunEvent): void {
    this.#names.learn(event);
    for (const entry of entriesOf(event)) this.#say(entry, event.at);
  }

  progress({ phase, attempt }: OrchestrationState, calls: PendingCall[]): void {
    const now = new Date().toISOString();
    for (const text of this.#names.newRetries(calls)) this.#say({ text, stamped: true }, now);
    if (Date.now() - this.#saidAt < silenceMs) return;
    const waiting = calls.map(({ activityId }) => this.#names.agentOf(activityId)).join(', ');
    this.#say({ text: `… attempt ${attempt}, ${phase}: waiting for ${waiting}`, stamped: true }, now);
  }

  close(): void {}

  #say(entry: LogEntry, at: string): void {
    const line = logLine(entry, at);
    process.stderr.write(`${this.#plain ? withoutEmoji(line) : line}\n`);
    this.#saidAt = Date.now();
  }
}
