import { createLogUpdate } from 'log-update';
import type { Writing } from '../../client.ts';
import type { RunEvent } from '../../messages/events.ts';
import { entriesOf } from '../../messages/lines.ts';
import type { OrchestrationState } from '../../messages/state.ts';
import { logLine } from '../../worker/log-sink.ts';
import { drawRegion } from './region.ts';
import type { View } from './view.ts';

/** What has happened scrolls up; below it a region shows what is going on, redrawn in place. */
export class TerminalView implements View {
  readonly #region = createLogUpdate(process.stderr);
  readonly #startedAt = Date.now();
  /** Which agent an activity works for. */
  readonly #agents = new Map<string, string>();
  #last = '';

  event(event: RunEvent): void {
    if (event.type === 'thinking') this.#agents.set(event.activityId, event.agent);
    const lines = entriesOf(event).map((entry) => logLine(entry, event.at));
    if (lines.length > 0) this.#region.persist(lines.join('\n'));
    if (this.#last !== '') this.#region(this.#last);
  }

  progress(state: OrchestrationState, writing: Writing[]): void {
    const texts = new Map(
      writing.map(({ activityId, progress }) => [this.#agents.get(activityId) ?? '', progress]),
    );
    const seconds = (Date.now() - this.#startedAt) / 1000;
    this.#last = drawRegion(state, texts, seconds, process.stderr.columns ?? 80);
    this.#region(this.#last);
  }

  close(): void {
    this.#region.clear();
    this.#region.done();
  }
}
