import { createLogUpdate } from 'log-update';
import type { PendingCall } from '../../client.ts';
import type { RunEvent } from '../../messages/events.ts';
import { entriesOf } from '../../messages/lines.ts';
import type { OrchestrationState } from '../../messages/state.ts';
import { logLine } from '../../worker/log-sink.ts';
import { CallNames } from './call-names.ts';
import { drawRegion } from './region.ts';
import type { View } from './view.ts';

/** What has happened scrolls up; below it a region shows what is going on, redrawn in place. */
export class TerminalView implements View {
  readonly #region = createLogUpdate(process.stderr);
  readonly #startedAt = Date.now();
  readonly #names = new CallNames();
  #drawn = '';

  event(event: RunEvent): void {
    this.#names.learn(event);
    this.#scroll(entriesOf(event).map((entry) => logLine(entry, event.at)));
  }

  progress(state: OrchestrationState, calls: PendingCall[]): void {
    const now = new Date().toISOString();
    this.#scroll(this.#names.newRetries(calls).map((text) => logLine({ text, stamped: true }, now)));
    const texts = new Map(
      calls.map(({ activityId, progress }) => [this.#names.agentOf(activityId), progress?.partial ?? '']),
    );
    const seconds = (Date.now() - this.#startedAt) / 1000;
    this.#drawn = drawRegion(state, texts, seconds, process.stderr.columns ?? 80);
    this.#region(this.#drawn);
  }

  close(): void {
    this.#region.clear();
    this.#region.done();
  }

  #scroll(lines: string[]): void {
    if (lines.length === 0) return;
    this.#region.persist(lines.join('\n'));
    if (this.#drawn !== '') this.#region(this.#drawn);
  }
}
