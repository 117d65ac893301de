import type { Reply } from '../../../protocol/model-call.ts';
import { askCallOf, type AskCall } from '../../ask-others/ask-call.ts';
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
  /** Whether it was given `ask_others`. */
  mayAsk: boolean;
  /** Whether a tool of the world is among those that it was given. */
  isTool(name: string): boolean;
}

export type Action =
  { kind: 'answer'; callId: string; content: string } | { kind: 'vote'; callId: string; name: string; reason: string };

export type Refusal =
  | { kind: 'invalid'; error: string }
  | { kind: 'voting_closed' }
  | { kind: 'no_answer'; name: string; choices: string[] }
  | { kind: 'no_answers_left'; limit: number }
  | { kind: 'second_action' }
  | { kind: 'results_first' }
  | { kind: 'responses_are_automatic' }
  | NoveltyProblem;

export interface Reading {
  /** The first usable action of the reply; undefined when there is none, or when the reply asks first. */
  action: Action | undefined;
  asks: AskCall[];
  /** Calls of tools of the world, those with bad arguments too: the agent sees what is wrong as their result. */
  uses: Call[];
  /** One entry for each other call, in order, since providers refuse unanswered calls; the accepted one has no refusal. */
  results: Array<{ callId: string; refusal: Refusal | undefined }>;
}

type Call = Reply['calls'][number];

function readCall(call: Call, situation: Situation): Action | Refusal {
  if ('error' in call) return { kind: 'invalid', error: call.error };
  if (call.name === 'new_answer') {
    const content = String(call.input['content']);
    if (situation.answersGiven >= situation.answerLimit) {
      return { kind: 'no_answers_left', limit: situation.answerLimit };
    }
    return situation.noveltyProblem(content) ?? { kind: 'answer', callId: call.id, content };
  }
  if (call.name === 'respond_to_broadcast') return { kind: 'responses_are_automatic' };
  const name = String(call.input['agent_id']);
  if (!situation.votingOpen) return { kind: 'voting_closed' };
  if (!situation.choices.includes(name)) return { kind: 'no_answer', name, choices: situation.choices };
  return { kind: 'vote', callId: call.id, name, reason: String(call.input['reason']) };
}

/**
 * Finds the action in an agent's reply: one counts, the first that is usable. A reply that asks or uses tools is none:
 * what it does beside was written without the results.
 */
export function readReply(reply: Reply, situation: Situation): Reading {
  const isAsk = ({ name }: Call): boolean => situation.mayAsk && name === 'ask_others';
  const isUse = ({ name }: Call): boolean => situation.isTool(name);
  const reading: Reading = {
    action: undefined,
    asks: reply.calls.filter(isAsk).map(askCallOf),
    uses: reply.calls.filter(isUse),
    results: [],
  };
  for (const call of reply.calls) {
    if (isAsk(call) || isUse(call)) continue;
    const read = readOther(call, situation, reading);
    const accepted = read.kind === 'answer' || read.kind === 'vote';
    if (accepted) reading.action = read;
    reading.results.push({ callId: call.id, refusal: accepted ? undefined : read });
  }
  return reading;
}

function readOther(call: Call, situation: Situation, { action, asks, uses }: Reading): Action | Refusal {
  if (action !== undefined) return { kind: 'second_action' };
  const read = readCall(call, situation);
  const acts = read.kind === 'answer' || read.kind === 'vote';
  return acts && asks.length + uses.length > 0 ? { kind: 'results_first' } : read;
}
