import { proxySinks, setHandler } from '@temporalio/workflow';
import { descriptions, eventsQuery } from '../../protocol/definitions.ts';
import type { RunEvent, RunEventBody } from '../../protocol/events.ts';
import { entriesOf } from '../log-lines.ts';
import { perRun } from './per-run.ts';
import { truncateToPayload } from './size.ts';
import type { RunSinks } from '../../protocol/sinks.ts';
import { beginRound, count, endRound } from './tracing.ts';

const { run } = proxySinks<RunSinks>();

const own = perRun(() => ({ hasNew: false }));

/** Whether there was an event since this was asked last. */
export function tookEvent(): boolean {
  const { hasNew } = own();
  own().hasNew = false;
  return hasNew;
}

/** The events of a run, from which the terminal, the log file and `--json` are drawn. */
export class EventLog {
  /** The attempt that new events belong to; 0 before the first, and in a session. */
  attempt = 0;
  /** What the run, or the last turn of a session, was asked; undefined before that. */
  asked: string | undefined;
  /** The answer of the last event `final`, in a session that of the last turn; undefined before the first. */
  lastAnswer: string | undefined;
  readonly #events: RunEvent[] = [];
  readonly #earlier: number;
  readonly #onEvent: () => void;

  /** @param earlier how many events earlier runs of the same session had; the numbers go on from there */
  constructor(onEvent: () => void, earlier: number) {
    this.#onEvent = onEvent;
    this.#earlier = earlier;
    setHandler(eventsQuery, (from = 1) => truncateToPayload(this.#events.slice(Math.max(0, from - 1 - earlier))), {
      description: descriptions.events,
    });
  }

  begin(attempt: number): void {
    this.attempt = attempt;
    beginRound(attempt);
  }

  /** The number of events so far, in all runs of the session. */
  get count(): number {
    return this.#earlier + this.#events.length;
  }

  /** Shows the last answer that earlier runs of the same session have given. */
  recall(answer: string): void {
    this.lastAnswer = answer;
    this.#onEvent();
  }

  /** A property, so that it can be passed on as a function. */
  readonly emit = (body: RunEventBody): void => {
    const event: RunEvent = { seq: this.count + 1, at: new Date().toISOString(), attempt: this.attempt, ...body };
    this.#events.push(event);
    own().hasNew = true;
    if (body.type === 'started') this.asked = body.task;
    if (body.type === 'turn') this.asked = body.text;
    if (body.type === 'final') this.lastAnswer = body.answer;
    for (const entry of entriesOf(event)) run.say(entry, event.at, event.type);
    count(event);
    if (body.type === 'final') endRound();
    this.#onEvent();
  };
}
