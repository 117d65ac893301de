import type { Reply } from '../messages/model-call.ts';
import type { NoveltyProblem } from './novelty.ts';

/** What an agent may do at this moment. */
export interface Situation {
  votingOpen: boolean;
  /** Anonymous names of the agents that have an answer. */
  choices: string[];
  /** Answers that this agent has given in this attempt, and how many it may give. */
  answersGiven: number;
  answerLimit: number;
  /** Why an answer would not be new enough, see `noveltyProblem`. */
  noveltyProblem(answer: string): NoveltyProblem | undefined;
}

export type Action =
  | { kind: 'answer'; callId: string; content: string }
  | { kind: 'vote'; callId: string; name: string; reason: string };

export type Refusal =
  | { kind: 'invalid'; error: string }
  | { kind: 'voting closed' }
  | { kind: 'no answer'; name: string; choices: string[] }
  | { kind: 'no answers left'; limit: number }
  | { kind: 'second action' }
  | NoveltyProblem;

export interface Reading {
  /** The first usable action of the reply; undefined when there is none. */
  action: Action | undefined;
  /** One entry for each call, in order, since providers refuse unanswered calls; the accepted one has no refusal. */
  results: Array<{ callId: string; refusal: Refusal | undefined }>;
}

type Call = Reply['calls'][number];

function readCall(call: Call, situation: Situation): Action | Refusal {
  if ('error' in call) return { kind: 'invalid', error: call.error };
  if (call.name === 'new_answer') {
    const content = String(call.input['content']);
    if (situation.answersGiven >= situation.answerLimit) {
      return { kind: 'no answers left', limit: situation.answerLimit };
    }
    return situation.noveltyProblem(content) ?? { kind: 'answer', callId: call.id, content };
  }
  const name = String(call.input['agent_id']);
  if (!situation.votingOpen) return { kind: 'voting closed' };
  if (!situation.choices.includes(name)) return { kind: 'no answer', name, choices: situation.choices };
  return { kind: 'vote', callId: call.id, name, reason: String(call.input['reason']) };
}

/** Finds the action in an agent's reply: one counts, the first that is usable. */
export function readReply(reply: Reply, situation: Situation): Reading {
  const reading: Reading = { action: undefined, results: [] };
  for (const call of reply.calls) {
    const read =
      reading.action === undefined ? readCall(call, situation) : ({ kind: 'second action' } as const);
    const accepted = read.kind === 'answer' || read.kind === 'vote';
    if (accepted) reading.action = read;
    reading.results.push({ callId: call.id, refusal: accepted ? undefined : read });
  }
  return reading;
}
