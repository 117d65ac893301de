import { proxySinks, setHandler } from '@temporalio/workflow';
import { eventsQuery } from '../../protocol/definitions.ts';
import type { RunEvent, RunEventBody } from '../../protocol/events.ts';
import { entriesOf } from '../log-lines.ts';
import type { RunSinks } from '../../protocol/sinks.ts';

const { run } = proxySinks<RunSinks>();

/** A run's one stream of events: the terminal, the log file and `--json` are drawn from it. */
export class EventLog {
  /** Attempt that new events belong to; 0 before the first. */
  attempt = 0;
  readonly #events: RunEvent[] = [];
  readonly #earlier: number;
  readonly #onEvent: () => void;

  /**
   * @param onEvent called after each event
   * @param earlier how many events earlier runs of the same session had: numbers go on
   */
  constructor(onEvent: () => void, earlier: number) {
    this.#onEvent = onEvent;
    this.#earlier = earlier;
    setHandler(eventsQuery, (from = 1) => this.#events.slice(Math.max(0, from - 1 - earlier)));
  }

  /** Events so far, those of earlier runs included. */
  get count(): number {
    return this.#earlier + this.#events.length;
  }

  /** Bound, so that it can be handed on. */
  readonly emit = (body: RunEventBody): void => {
    const event: RunEvent = {
      seq: this.count + 1,
      at: new Date().toISOString(),
      attempt: this.attempt,
      ...body,
    };
    this.#events.push(event);
    for (const entry of entriesOf(event)) run.say(entry, event.at);
    this.#onEvent();
  };
}
