import type { ParameterSchema } from './message.ts';
import type { HumanAnswer } from './orchestration.ts';

interface BroadcastResponse {
  /** Configured id of the agent, or `human`. */
  responder_id: string;
  content: string;
  is_human: boolean;
}

/**
 * What `ask_others` returns to the agent that asked, as JSON (MassGen's documentation "Agent Communication", Basic Usage
 * and Human Q&A Context Injection).
 *
 * `complete`: there are responses. `deferred`: nobody was prompted, since the person has answered questions before, which
 * are in `human_qa_history`. `timeout`: the time was up; the responses that came in time are there. `skipped`: the person
 * did not want to answer. `error`: nobody could be asked, or nobody could respond; the key `error` says why.
 */
export interface BroadcastResult {
  status: 'complete' | 'deferred' | 'timeout' | 'skipped' | 'error';
  request_id: string;
  responses: BroadcastResponse[];
  /** Ids of those who were asked and gave no response. */
  no_response?: string[];
  human_qa_history?: HumanAnswer[];
  human_qa_note?: string;
  /** Why nobody was asked although the status is `timeout`: the person has let an earlier question's time run out. */
  note?: string;
  error?: string;
}

/** Payload of the signal `answer`. An empty answer skips the question. */
export interface HumanReply {
  /** The question that is answered; the default is the one that waits. */
  questionId?: string;
  answer: string;
}

/**
 * Something that waits for a person, as the query `pendingQuestions` lists it.
 *
 * `question`: an agent asks, and the signal `answer` answers it. `approval`: a research run asks whether its plan is good
 * enough; the signals `decide` and `requestRestart` say. `tool`: an agent may not run a tool without a person's approval.
 * The signal `approve` gives it or refuses it.
 * `key`: a variable is missing where the worker runs. A worker that has it ends the wait, and so does an empty answer.
 */
export interface PendingQuestion {
  kind: 'question' | 'approval' | 'tool' | 'key';
  questionId: string;
  /** Configured id of the agent that asks; several agents that need one key are joined by commas. */
  from: string;
  question: string;
  /** ISO 8601 time. */
  askedAt: string;
  /** ISO 8601 time at which the agent goes on without an answer; null for what may wait for ever. */
  expiresAt: string | null;
  /** The tool that a `tool` is about. */
  tool?: string;
  /** What it is to be called with, as JSON for a person: see `shownArguments`. */
  arguments?: string;
  /** What the tool takes, by which changed arguments can be checked; absent where that is not known. */
  parameters?: ParameterSchema;
}

export const askedText = ({ arguments: given, question }: Pick<PendingQuestion, 'arguments' | 'question'>): string =>
  given === undefined ? question : `${question}\n${given}`;

/** How many characters a reason, an instruction, a note or the changed arguments of a tool call may have. */
export const maxMessageChars = 100_000;

/** How many characters all answers in one session may have together, since Temporal limits payloads to 2 MB. */
export const maxAnswerChars = 500_000;
