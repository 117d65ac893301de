import type { SearchAttributePair } from '@temporalio/common';
import {
  ApplicationFailure,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import {
  answerSignal,
  approveSignal,
  descriptions,
  pendingQuestionsQuery,
  requestRestartSignal,
  stateQuery,
  transcriptQuery,
} from '../../protocol/definitions.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import { maxAnswerChars, maxMessageChars, type HumanReply } from '../../protocol/questions.ts';
import type { RestartRequest, State } from '../../protocol/state.ts';
import { type Approvals, checkedDecision, decisionInWords } from '../people/approvals.ts';
import type { MissingKeys } from '../people/missing-keys.ts';
import { PendingRequests } from '../people/pending-requests.ts';
import { isKept, type Questions } from '../people/questions.ts';
import { attemptAttribute, waitingAttribute } from './attributes.ts';
import { detailsOf } from './details.ts';
import { EventLog } from './event-log.ts';
import { shortened, truncateToPayload } from './size.ts';
import { quoted, textsProblem } from './message-problems.ts';
import { Messages } from './messages.ts';
import type { TellEnd } from './notifying.ts';

/** What a run shows in its queries and in Temporal's Web UI. */
export interface RunView {
  state(): State;
  /** The lines of Markdown that the workflow type adds to the current details. */
  details(): string[];
  /** What is shown for the answer that the event `final` names, if that is not the answer itself. */
  report?(): string | undefined;
  /** Null before its first reply. */
  transcript(agent: string): TranscriptRef | null;
}

type TakeRequest = (request: RestartRequest) => void;

/** How many answers are kept until the run is ready. */
const earlyAnswers = 100;

type Answerers = { approvals: Approvals; keys: MissingKeys; questions: Questions };

/**
 * The signals and queries of all runs. The handlers are set before the workflow awaits anything, so that no query fails,
 * and signals that come before the run is ready are kept until it is.
 */
export class RunHandlers {
  readonly events: EventLog;
  readonly messages: Messages;
  readonly requests: PendingRequests;
  tellEnd: TellEnd = async () => {};
  view: RunView;
  #earlyRequest: RestartRequest | undefined;
  #takeRequest: TakeRequest | undefined;
  #mayRestart = (): boolean => true;
  #answers: Answerers | undefined;
  /** Answers that came before the run was ready, by their questions' ids. */
  readonly #replies = new Map<string | undefined, HumanReply>();
  #isWaiting = false;
  #shownAttempt = 0;

  /** @param earlierEvents how many events earlier runs of the same session had */
  constructor(view: RunView, earlierEvents = 0) {
    this.view = view;
    this.events = new EventLog(() => this.#refresh(), earlierEvents);
    this.requests = new PendingRequests(this.events.emit);
    // Messages that came before the run begins are told at once, and what they change is shown.
    this.messages = new Messages(this.events);
    setHandler(stateQuery, () => truncateToPayload(this.#state()), { description: descriptions.state });
    setHandler(transcriptQuery, (agent) => this.#transcript(agent), { description: descriptions.transcript });
    setHandler(pendingQuestionsQuery, () => this.requests.list, { description: descriptions.pendingQuestions });
    this.messages.on(requestRestartSignal, {
      take: (request) => this.#request(request),
      refusal: (request) => this.#requestRefusal(request),
    });
    this.messages.on(approveSignal, {
      take: (decision) => this.#approve(decision),
      refusal: (decision) =>
        this.#answers === undefined ? notReady : this.#answers.approvals.problemWith(checkedDecision(decision)),
    });
    this.messages.on(answerSignal, {
      take: (reply) => this.#answer(reply),
      refusal: (reply) => this.#answerRefusal(reply),
    });
    // When the workflow has set its own handlers, which it does before it awaits anything.
    void Promise.resolve().then(() => this.messages.updates.failUnknown());
  }

  /** @throws `ApplicationFailure` where the run has agents, and none of this id */
  #transcript(agent: string): TranscriptRef | null {
    const found = this.view.transcript(agent);
    const ids = this.view.state().agents.map(({ id }) => id);
    if (found !== null || ids.length === 0 || ids.includes(agent)) return found;
    const choices = shortened(ids.join(', '), 1000);
    throw ApplicationFailure.nonRetryable(`The run has no agent ${quoted(agent)} at present; it has ${choices}`);
  }

  /** The attempt as the lists of runs are to show it; empty if they show it already. */
  attemptToShow(number: number): SearchAttributePair[] {
    if (this.#shownAttempt === number) return [];
    this.#shownAttempt = number;
    return [{ key: attemptAttribute, value: number }];
  }

  takeAnswers(answerers: Answerers): void {
    this.#answers = answerers;
    // From here on all handlers are set: those of the workflow type too.
    this.messages.dropUnknown();
    for (const reply of this.#replies.values()) this.#answer(reply);
  }

  /** The last one that came before is taken too. @param mayRestart whether a request would have an effect at present */
  takeRequests(take: TakeRequest, mayRestart = (): boolean => false): void {
    this.#takeRequest = take;
    this.#mayRestart = mayRestart;
    const early = this.#earlyRequest;
    this.#earlyRequest = undefined;
    if (early !== undefined) take(early);
  }

  #answer(reply: HumanReply): void {
    const problem = replyProblem(reply);
    if (problem !== undefined) return this.messages.ignore('answer', `A signal answer is ignored: ${problem}`);
    if (this.#answers === undefined) return this.#keep(reply);
    const { approvals, keys, questions } = this.#answers;
    const about = this.requests.meantBy(reply);
    this.requests.personIsThere();
    if (about?.kind === 'tool' || approvals.isToCome(reply.questionId)) return approvals.take(decisionInWords(reply));
    if (about?.kind === 'key') return keys.answer(about.questionId, reply.answer);
    const why = questions.answer(reply);
    if (why !== undefined) this.messages.ignore('answer', `An answer is ignored: ${why}`);
  }

  /** Keeps an answer until the run is ready: of several to one question the last one, of those to none the first. */
  #keep(reply: HumanReply): void {
    const { answer, questionId } = reply;
    if (questionId === undefined && this.#replies.has(questionId))
      return this.messages.ignore('answer', `An answer is ignored: ${isKept}`);
    this.#replies.delete(questionId);
    const characters = [...this.#replies.values()].reduce((sum, kept) => sum + kept.answer.length, answer.length);
    if (this.#replies.size < earlyAnswers && characters <= maxAnswerChars) this.#replies.set(questionId, reply);
    else this.messages.ignore('answer', 'An answer is ignored: too many have come before the run could take any');
  }

  #answerRefusal(reply: HumanReply): string | undefined {
    const problem = replyProblem(reply);
    if (problem !== undefined) return problem;
    if (this.#answers === undefined) return notReady;
    const { approvals, questions } = this.#answers;
    switch (this.requests.meantBy(reply)?.kind) {
      case 'tool':
        return approvals.problemWith(decisionInWords(reply));
      case 'key':
        return reply.answer.trim() === '' ? undefined : notByAnswer;
      case 'approval':
        return 'a plan is decided about by decide or requestRestart';
      default:
        return questions.refusal(reply);
    }
  }

  #approve(decision: unknown): void {
    if (this.#answers === undefined)
      return this.messages.ignore('approve', 'A signal approve is ignored: no tool call waits for approval yet');
    this.requests.personIsThere();
    this.#answers.approvals.take(checkedDecision(decision));
  }

  #request(request: RestartRequest): void {
    const problem = requestProblem(request);
    if (problem !== undefined) return this.messages.ignore('requestRestart', `requestRestart is ignored: ${problem}`);
    this.requests.personIsThere();
    const { reason, instructions } = request;
    if (this.#takeRequest === undefined) this.#earlyRequest = { reason, instructions };
    else this.#takeRequest({ reason, instructions });
  }

  #requestRefusal(request: RestartRequest): string | undefined {
    const problem = requestProblem(request);
    if (problem !== undefined) return problem;
    if (this.#takeRequest === undefined) return notReady;
    return this.#mayRestart() ? undefined : 'there is nothing to start over, or no restart is left';
  }

  #state(): State {
    const { ignored } = this.messages;
    return { ...this.view.state(), ...(ignored > 0 && { ignored }) };
  }

  #refresh(): void {
    const pending = this.requests.list;
    const { workflowId } = workflowInfo();
    const { usage } = this.view.state();
    const { asked, lastAnswer } = this.events;
    const answer = lastAnswer === undefined ? undefined : (this.view.report?.() ?? lastAnswer);
    setCurrentDetails(detailsOf({ asked, pending, answer, lines: this.view.details(), usage, workflowId }));
    const isWaiting = pending.length > 0;
    if (isWaiting === this.#isWaiting) return;
    this.#isWaiting = isWaiting;
    upsertSearchAttributes([{ key: waitingAttribute, value: isWaiting ? 'human' : null }]);
  }
}

export const notReady = 'the run is not ready for it yet; send it again in a moment';

const notByAnswer = 'a key is set where the worker runs; only an empty answer, which goes on without it, has an effect';

const replyProblem = (reply: unknown): string | undefined =>
  textsProblem(reply, '{questionId?, answer}', ['answer'], ['questionId']);

function requestProblem(request: unknown): string | undefined {
  const problem = textsProblem(request, '{reason, instructions}', ['reason', 'instructions']);
  if (problem !== undefined) return problem;
  const { instructions, reason } = request as RestartRequest;
  if (reason.trim() === '') return 'reason: it must not be empty';
  const characters = reason.length + instructions.length;
  return characters > maxMessageChars ? `it has ${characters} characters, and may have ${maxMessageChars}` : undefined;
}
