import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import type { TranscriptRef } from '../messages/message.ts';
import type { PreparedSession, SessionInput, SessionResult, TurnResult } from '../messages/session.ts';
import { outcomeAttribute } from './attributes.ts';
import { newCrew, seatsOf, storeDuties, type CrewRecord } from './crew.ts';
import type { Crew } from './run.ts';
import { Surface } from './surface.ts';
import { newRun, runTask, storeTask } from './task.ts';
import type { Seat } from './team.ts';
import { preview } from './turn.ts';

const { prepareSession, putMessages } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/** Update `handleText`: the person's next words. Turns are taken one at a time, in the order in which they came. */
export const handleTextUpdate = defineUpdate<TurnResult, [string]>('handleText');

/** Signal `close`: the session ends when the turns that have come are done. */
export const closeSignal = defineSignal('close');

/** What a session's next run takes over. */
export interface SessionRecord extends CrewRecord {
  /** What the session is held with; runs that were recorded before it was handed over have none. */
  prepared?: PreparedSession;
  conversation: TranscriptRef | null;
  last: Last;
  events: number;
}

type Last = Pick<SessionResult, 'answer' | 'messages' | 'outcome' | 'turns'>;

interface Waiting {
  text: string;
  resolve(result: TurnResult): void;
  reject(error: unknown): void;
}

const outcomes = {
  submitted: 'answered',
  restart_limit: 'limit',
  timeout: 'limit',
  budget: 'budget',
} as const;

/**
 * A conversation with a team, turn by turn: what was said and what the person has answered goes from turn to turn,
 * also when the history grows long and the session goes on in a new run.
 *
 * @throws `ApplicationFailure`: `InvalidInput` before anything is spent; with `text`, what its one turn throws
 */
export async function session(input: SessionInput & { earlier?: SessionRecord }): Promise<SessionResult> {
  const { earlier } = input;
  const surface = new Surface('idle', earlier?.events);
  const queue: Waiting[] = [];
  let closed = false;
  setHandler(
    handleTextUpdate,
    (text) => new Promise((resolve, reject) => queue.push({ text, resolve, reject })),
    { validator: checkText },
  );
  setHandler(closeSignal, () => {
    closed = true;
  });

  const prepared = earlier?.prepared ?? (await prepareSession(input));
  if (prepared.kind === 'agent')
    throw ApplicationFailure.nonRetryable('sessions with one agent are not run yet', 'InvalidInput');
  const stored = await storeDuties(prepared.team);
  const seats = await seatsOf(prepared.team);
  const crew = newCrew(prepared, stored, surface, earlier ?? {});
  const conversation = new Conversation(crew, seats, surface, earlier);
  if (earlier === undefined) await conversation.open(prepared);
  if (prepared.text !== undefined) {
    await conversation.take(prepared.text);
    return conversation.end();
  }
  for (;;) {
    await condition(() => queue.length > 0 || closed || workflowInfo().continueAsNewSuggested);
    const next = queue.shift();
    if (next !== undefined) await answer(conversation, next);
    else if (closed) return conversation.end();
    else {
      await condition(allHandlersFinished);
      if (queue.length === 0 && !closed)
        await continueAsNew<typeof session>({
          earlier: { ...conversation.record, prepared: { ...prepared, history: [] } },
        });
    }
  }
}

function checkText(text: unknown): void {
  if (typeof text !== 'string' || text.trim() === '')
    throw ApplicationFailure.nonRetryable('handleText takes a text that is not empty', 'InvalidInput');
}

/** A turn that fails is told to the one who waits for it, and the conversation goes on without it. */
async function answer(conversation: Conversation, waiting: Waiting): Promise<void> {
  try {
    waiting.resolve(await conversation.take(waiting.text));
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    waiting.reject(error);
  }
}

class Conversation {
  readonly #crew: Crew;
  readonly #seats: Seat[];
  readonly #surface: Surface;
  #said: TranscriptRef | null;
  #last: Last;

  constructor(crew: Crew, seats: Seat[], surface: Surface, earlier: SessionRecord | undefined) {
    this.#crew = crew;
    this.#seats = seats;
    this.#surface = surface;
    this.#said = earlier?.conversation ?? null;
    this.#last = earlier?.last ?? { answer: '', messages: [], outcome: 'answered', turns: 0 };
  }

  /** Begins with what was said before the session. */
  async open({ history, notices }: PreparedSession): Promise<void> {
    for (const text of notices) this.#crew.events.emit({ type: 'notice', text });
    if (history.length > 0) this.#said = await putMessages(null, history);
  }

  async take(text: string): Promise<TurnResult> {
    const turn = this.#last.turns + 1;
    this.#last = { ...this.#last, turns: turn };
    this.#crew.events.attempt = 0;
    this.#crew.events.emit({ type: 'turn', turn, text: preview(text) });
    const told = await storeTask(text, []);
    // Time is given anew to each turn.
    const seats = this.#seats.map((seat) => ({ ...seat }));
    const run = newRun(this.#crew, seats, { ...told, conversation: this.#said, turn });
    const { answer: said, outcome } = await runTask(run, this.#surface);
    this.#said = await putMessages(this.#said, [
      { role: 'user', content: told.task },
      { role: 'assistant', content: said },
    ]);
    this.#last = { answer: said, messages: [said], outcome: outcomes[outcome], turns: turn };
    if (run.attempt !== undefined) run.attempt.phase = 'idle';
    return { answer: said, messages: [said], turn };
  }

  end(): SessionResult {
    const { desk, events, ledger } = this.#crew;
    upsertSearchAttributes([{ key: outcomeAttribute, value: this.#last.outcome }]);
    return { ...this.#last, humanQa: desk.history, usage: ledger.usage, events: events.count };
  }

  get record(): SessionRecord {
    const { broadcast, desk, events, ledger } = this.#crew;
    return {
      conversation: this.#said,
      last: this.#last,
      events: events.count,
      desk: desk.record,
      ledger: ledger.record,
      requests: broadcast?.requests ?? 0,
    };
  }
}
