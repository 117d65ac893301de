import { patched, setCurrentDetails, setHandler, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
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
import type { HumanReply, PendingQuestion } from '../../protocol/questions.ts';
import type { RestartRequest, State } from '../../protocol/state.ts';
import type { LeaveDesk } from '../agent/leave.ts';
import type { HumanInput } from '../ask-others/human-input.ts';
import { waitingAttribute } from './attributes.ts';
import { detailsOf } from './details.ts';
import { EventLog } from './event-log.ts';
import { fitted } from './fitted.ts';
import type { MissingKeys } from './missing-keys.ts';

/** What a run shows in its queries and in Temporal's Web UI. */
export interface RunView {
  state(): State;
  /** The lines of Markdown that the workflow type adds to the current details in Temporal's Web UI. */
  details(): string[];
  /** What is shown for the answer that the event `final` names, if that is not the answer itself. */
  report?(): string | undefined;
  /** An agent's present conversation; null before its first reply. */
  transcript(agent: string): TranscriptRef | null;
  /** The decision that the run waits for; undefined if it waits for none. */
  approval?(): PendingQuestion | undefined;
}

/** Where a person's answers and decisions go. */
interface Answerers {
  humanInput: HumanInput;
  /** Whether agents ask a person; if not, answers are ignored, other than those to what waits for a key or for leave. */
  asks: boolean;
  keys: MissingKeys;
  leave: LeaveDesk;
}

/**
 * The signals and queries of all runs. The handlers are set before the workflow awaits anything, so that no query fails,
 * and signals that come before the run is ready are kept until it is.
 */
export class RunHandlers {
  readonly events: EventLog;
  /**
   * The version that began this run, which goes on by that version's rules. It is asked before anything else: where a
   * query splits the first workflow task behind a local activity, a replay that asked later would come to the question
   * before it has come to the marker, take the old path, and fail.
   */
  readonly beganWith = patched('0.3') ? '0.3' : patched('0.2') ? '0.2' : '0.1';
  /** Whether a version before 0.2 began this run. */
  readonly isOld = this.beganWith === '0.1';
  #view: RunView;
  #requests: RestartRequest[] = [];
  #takeRequest: ((request: RestartRequest) => void) | undefined;
  #answers: Answerers | undefined;
  #replies: HumanReply[] = [];
  #isWaiting = false;

  /**
   * @param view what the run shows until `show` is called
   * @param earlierEvents how many events earlier runs of the same session had
   */
  constructor(view: RunView, earlierEvents = 0) {
    this.#view = view;
    this.events = new EventLog(() => this.#refresh(), earlierEvents);
    setHandler(stateQuery, () => fitted(this.#view.state()), { description: descriptions.state });
    setHandler(transcriptQuery, (agent) => this.#view.transcript(agent), { description: descriptions.transcript });
    setHandler(pendingQuestionsQuery, () => this.#pending, { description: descriptions.pendingQuestions });
    setHandler(requestRestartSignal, (request) => this.#request(request), { description: descriptions.requestRestart });
    setHandler(approveSignal, (decision) => this.#approve(decision), { description: descriptions.approve });
    setHandler(answerSignal, (reply) => this.#answer(reply), { description: descriptions.answer });
  }

  show(view: RunView): void {
    this.#view = view;
  }

  /** Directs answers and decisions there, earlier answers included. */
  takeAnswers(answerers: Answerers): void {
    this.#answers = answerers;
    for (const reply of this.#replies.splice(0)) this.#answer(reply);
  }

  /** Directs a person's requests for a restart there, including the last one of those that came before. */
  takeRequests(take: (request: RestartRequest) => void): void {
    this.#takeRequest = take;
    for (const request of this.#requests.splice(0)) take(request);
  }

  /** Everything that waits for a person, in the order in which it began to wait. */
  get #pending(): PendingQuestion[] {
    const approval = this.#view.approval?.();
    const { humanInput, keys, leave } = this.#answers ?? {};
    return [
      ...(humanInput?.pending ?? []),
      ...(keys?.pending ?? []),
      ...(leave?.pending ?? []),
      ...(approval === undefined ? [] : [approval]),
    ].toSorted((one, other) => one.askedAt.localeCompare(other.askedAt));
  }

  #answer(reply: HumanReply): void {
    const { answer, questionId } = reply ?? {};
    if (typeof answer !== 'string' || !['string', 'undefined'].includes(typeof questionId)) {
      this.#warn('A signal answer without {questionId?, answer} is ignored');
      return;
    }
    if (this.#answers === undefined) {
      this.#replies.push(reply);
      return;
    }
    const { asks, humanInput, keys, leave } = this.#answers;
    leave.personIsThere();
    if (leave.answer(reply)) return;
    const mayBeForKey = questionId !== undefined || humanInput.pending.length === 0;
    if (mayBeForKey && keys.answer(reply)) return;
    if (asks) humanInput.answer(reply);
    else this.#warn('An answer is ignored: nobody asks a person in this run');
  }

  #approve(decision: unknown): void {
    if (this.#answers === undefined) return this.#warn('A signal approve is ignored: no tool call waits for leave yet');
    const { humanInput, leave } = this.#answers;
    humanInput.personIsThere();
    leave.personIsThere();
    leave.approve(decision);
  }

  #request(request: RestartRequest): void {
    const { reason, instructions } = request ?? {};
    if (typeof reason !== 'string' || typeof instructions !== 'string') {
      this.#warn('requestRestart without {reason, instructions} is ignored');
    } else if (this.#takeRequest === undefined) {
      this.#requests = [{ reason, instructions }];
    } else {
      this.#takeRequest({ reason, instructions });
    }
  }

  #warn(text: string): void {
    this.events.emit({ type: 'warning', text });
  }

  #refresh(): void {
    const pending = this.#pending;
    const { workflowId } = workflowInfo();
    const { usage } = this.#view.state();
    const { lastAnswer } = this.events;
    const answer = lastAnswer === undefined ? undefined : (this.#view.report?.() ?? lastAnswer);
    setCurrentDetails(detailsOf(pending, answer, this.#view.details(), usage, workflowId));
    const isWaiting = pending.length > 0;
    if (isWaiting === this.#isWaiting) return;
    this.#isWaiting = isWaiting;
    upsertSearchAttributes([{ key: waitingAttribute, value: isWaiting ? 'human' : null }]);
  }
}
