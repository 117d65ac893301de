import {
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { HumanDesk } from '../ask-others/human-input.ts';
import type { HumanReply, PendingQuestion } from '../../protocol/questions.ts';
import { detailsOf } from './details.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { OrchestrationState, RestartRequest, State } from '../../protocol/state.ts';
import { waitingAttribute } from './attributes.ts';
import { EventLog } from './event-log.ts';

/** Query `state`: the run at a glance. */
export const stateQuery = defineQuery<State>('state');

/** Query `transcript`: an agent's conversation in the present attempt; null before its first reply. */
export const transcriptQuery = defineQuery<TranscriptRef | null, [agent: string]>('transcript');

/** Query `pendingQuestions`: what waits for a person. */
export const pendingQuestionsQuery = defineQuery<PendingQuestion[]>('pendingQuestions');

/** Signal `requestRestart`: a person wants the team to start over. */
export const requestRestartSignal = defineSignal<[RestartRequest]>('requestRestart');

/** Signal `answer`: a person answers a question, or skips it with an empty answer. */
export const answerSignal = defineSignal<[HumanReply]>('answer');

/** What is going on, for whoever looks. */
export interface View {
  state(): State;
  /** An agent's conversation; null before its first reply. */
  transcript(agent: string): TranscriptRef | null;
}

/** What a run shows, and how a person steps in. Handlers are there from the first moment: signals may be too. */
export class Surface {
  readonly events: EventLog;
  readonly #resting: State;
  #view: View | undefined;
  #requested: RestartRequest | undefined;
  #restart: (request: RestartRequest) => void = (request) => (this.#requested = request);
  #desk: HumanDesk | undefined;
  #replies: HumanReply[] = [];
  #isWaiting = false;

  /**
   * @param resting what it shows while there is no work
   * @param earlierEvents how many events earlier runs of the same session had
   */
  constructor(resting: State = nothingYet, earlierEvents = 0) {
    this.#resting = resting;
    this.events = new EventLog(() => this.#refresh(), earlierEvents);
    setHandler(stateQuery, () => this.#state());
    setHandler(transcriptQuery, (agent) => this.#view?.transcript(agent) ?? null);
    setHandler(pendingQuestionsQuery, () => this.#desk?.pending ?? []);
    setHandler(requestRestartSignal, (request) => this.#request(request));
    setHandler(answerSignal, (reply) => this.#answer(reply));
  }

  /** From here on answers go to this desk; those that came before are handed over. @param asks whether it is used */
  open(desk: HumanDesk, asks: boolean): void {
    this.#desk = desk;
    if (!asks) this.#answer = () => this.#warn('An answer is ignored: nobody asks a person in this run');
    for (const reply of this.#replies.splice(0)) this.#answer(reply);
  }

  /** From here on the surface shows this. */
  show(view: View): void {
    this.#view = view;
  }

  /** Says what a person's request does now; one that came before is handed over at once. */
  onRestartRequest(restart: (request: RestartRequest) => void): void {
    this.#restart = restart;
    const request = this.#requested;
    this.#requested = undefined;
    if (request !== undefined) this.#request(request);
  }

  #answer = (reply: HumanReply): void => {
    const { answer, questionId } = reply ?? {};
    if (typeof answer !== 'string' || !['string', 'undefined'].includes(typeof questionId)) {
      this.#warn('A signal answer without {questionId?, answer} is ignored');
    } else if (this.#desk === undefined) {
      this.#replies.push(reply);
    } else {
      this.#desk.answer(reply);
    }
  };

  #request(request: RestartRequest): void {
    const { reason, instructions } = request ?? {};
    if (typeof reason !== 'string' || typeof instructions !== 'string') {
      this.#warn('requestRestart without {reason, instructions} is ignored');
      return;
    }
    const state = this.#state();
    const { attempt, maxAttempts } = attemptsOf(state);
    const hasBegun = this.#view !== undefined;
    if (hasBegun && maxAttempts === 0) {
      this.#warn('requestRestart is ignored: there is nothing to start over');
      return;
    }
    if (hasBegun && attempt > 0 && attempt >= maxAttempts) {
      const isPlanning = 'planning_iteration' in state;
      this.events.emit({ type: 'restart refused', by: 'person', reason, ...(isPlanning && { isPlanning }) });
      return;
    }
    this.#restart({ reason, instructions });
  }

  #warn(text: string): void {
    this.events.emit({ type: 'warning', text });
  }

  #refresh(): void {
    const questions = this.#desk?.pending ?? [];
    const state = this.#state();
    setCurrentDetails(detailsOf(state, questions, workflowInfo().workflowId));
    const isWaiting = questions.length > 0 || state.phase === 'waiting for approval';
    if (isWaiting === this.#isWaiting) return;
    this.#isWaiting = isWaiting;
    upsertSearchAttributes([{ key: waitingAttribute, value: isWaiting ? 'human' : null }]);
  }

  #state(): State {
    return this.#view?.state() ?? this.#resting;
  }
}

/** How often a person may still have it started over; `maxAttempts` 0: there is nothing to start over. */
function attemptsOf(state: State): { attempt: number; maxAttempts: number } {
  if ('planning_iteration' in state)
    return { attempt: state.planning_iteration, maxAttempts: state.max_planning_iterations };
  return 'subtasks' in state ? { attempt: 0, maxAttempts: 0 } : state;
}

/** A team, or one agent, that has nothing to do yet. */
export const nothingYet: OrchestrationState = {
  phase: 'preparing',
  attempt: 0,
  maxAttempts: 0,
  agents: [],
  selectedAgent: null,
  restarts: [],
  usage: null,
};
