import type { HumanAnswer } from './orchestration.ts';

/** One response to a question: by another agent's shadow, or by a person (`responder_id: "human"`). */
export interface BroadcastResponse {
  /** Configured id of the agent, or `human`. */
  responder_id: string;
  content: string;
  is_human: boolean;
}

/**
 * What `ask_others` returns to the agent that asked, as JSON (MassGen's documentation "Agent Communication", Basic Usage
 * and Human Q&A Context Injection).
 *
 * `complete`: responses are there. `deferred`: a person has answered questions already, and `human_qa_history` holds them;
 * nobody was prompted. `timeout`: the time was up; what had come until then is there. `skipped`: the person passed.
 * `error`: nobody could be asked, or nobody could respond; `error` says why.
 */
export interface BroadcastResult {
  status: 'complete' | 'deferred' | 'timeout' | 'skipped' | 'error';
  request_id: string;
  responses: BroadcastResponse[];
  /** Ids of those who were asked and gave no response. */
  no_response?: string[];
  human_qa_history?: HumanAnswer[];
  human_qa_note?: string;
  error?: string;
}

/** Payload of the signal `answer`. An empty answer skips the question. */
export interface HumanReply {
  /** The question that is answered; absent: the one that waits. */
  questionId?: string;
  answer: string;
}

/** A question that waits for a person, as the query `pendingQuestions` lists it. */
export interface PendingQuestion {
  questionId: string;
  /** Configured id of the agent that asks. */
  from: string;
  question: string;
  /** ISO 8601 times; at `expiresAt` the agent goes on without an answer. */
  askedAt: string;
  expiresAt: string;
}

/** How many characters all answers of one session may have together: they travel in payloads of at most 2 MB. */
export const answerRoom = 500_000;
