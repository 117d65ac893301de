import {
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { HumanDesk } from '../agents/human-desk.ts';
import type { HumanReply, PendingQuestion } from '../messages/broadcast.ts';
import { detailsOf } from '../messages/details.ts';
import type { TranscriptRef } from '../messages/message.ts';
import type { OrchestrationPhase, OrchestrationState, RestartRequest } from '../messages/state.ts';
import { waitingAttribute } from './attributes.ts';
import { EventLog } from './event-log.ts';
import type { Run } from './run.ts';

/** Query `state`: the run at a glance. */
export const stateQuery = defineQuery<OrchestrationState>('state');

/** Query `transcript`: an agent's conversation in the present attempt; null before its first reply. */
export const transcriptQuery = defineQuery<TranscriptRef | null, [agent: string]>('transcript');

/** Query `pendingQuestions`: what waits for a person. */
export const pendingQuestionsQuery = defineQuery<PendingQuestion[]>('pendingQuestions');

/** Signal `requestRestart`: a person wants the team to start over. */
export const requestRestartSignal = defineSignal<[RestartRequest]>('requestRestart');

/** Signal `answer`: a person answers a question, or skips it with an empty answer. */
export const answerSignal = defineSignal<[HumanReply]>('answer');

/** What a run shows, and how a person steps in. Handlers are there from the first moment: signals may be too. */
export class Surface {
  readonly events: EventLog;
  readonly #resting: OrchestrationPhase;
  #run: Run | undefined;
  #requested: RestartRequest | undefined;
  #restart: (request: RestartRequest) => void = (request) => (this.#requested = request);
  #desk: HumanDesk | undefined;
  #replies: HumanReply[] = [];
  #isWaiting = false;

  /**
   * @param resting what a run is doing while it has no task
   * @param earlierEvents how many events earlier runs of the same session had
   */
  constructor(resting: OrchestrationPhase = 'preparing', earlierEvents = 0) {
    this.#resting = resting;
    this.events = new EventLog(() => this.#refresh(), earlierEvents);
    setHandler(stateQuery, () => this.#state());
    setHandler(transcriptQuery, (agent) => this.#transcript(agent));
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

  /** From here on the surface shows this run. */
  show(run: Run): void {
    this.#run = run;
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
    const { attempt, maxAttempts = 1 } = this.#run ?? {};
    if (attempt !== undefined && attempt.number >= maxAttempts) {
      this.events.emit({ type: 'restart refused', by: 'person', reason });
      return;
    }
    this.#restart({ reason, instructions });
  }

  #warn(text: string): void {
    this.events.emit({ type: 'warning', text });
  }

  #refresh(): void {
    const questions = this.#desk?.pending ?? [];
    setCurrentDetails(detailsOf(this.#state(), questions, workflowInfo().workflowId));
    const isWaiting = questions.length > 0;
    if (isWaiting === this.#isWaiting) return;
    this.#isWaiting = isWaiting;
    upsertSearchAttributes([{ key: waitingAttribute, value: isWaiting ? 'human' : null }]);
  }

  #state(): OrchestrationState {
    const run = this.#run;
    const members = run?.attempt?.members ?? [];
    return {
      phase: run?.attempt?.phase ?? this.#resting,
      attempt: run?.attempt?.number ?? 0,
      maxAttempts: run?.maxAttempts ?? 0,
      agents: members.map(({ seat, state, answersGiven, vote }) => ({
        id: seat.id,
        state,
        answers: answersGiven,
        timedOut: seat.timedOut,
        vote: vote?.agent ?? null,
      })),
      selectedAgent: run?.attempt?.selected?.seat.id ?? null,
      restarts: run?.restarts ?? [],
      usage: run?.ledger.usage ?? null,
    };
  }

  #transcript(agent: string): TranscriptRef | null {
    return this.#run?.attempt?.members.find(({ seat }) => seat.id === agent)?.agent.transcript ?? null;
  }
}
