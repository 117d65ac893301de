import type { Reply } from '../../../protocol/model-call.ts';
import { askCallOf, type AskCall } from '../../ask-others/ask-call.ts';
import type { NoveltyProblem } from './novelty.ts';

/** What an agent may do with its present reply. */
export interface Situation {
  votingOpen: boolean;
  choices: string[];
  /** In this attempt. */
  answersGiven: number;
  answerLimit: number;
  /** Why an answer is not new enough; undefined when it is. */
  noveltyProblem(answer: string): NoveltyProblem | undefined;
  mayAsk: boolean;
  /** Whether a tool is one of the agent's own. */
  isTool(name: string): boolean;
}

export type Action =
  | { kind: 'answer'; callId: string; content: string }
  | { kind: 'vote'; callId: string; name: string; reason: string };

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
  /** The first usable one. */
  action: Action | undefined;
  asks: AskCall[];
  /** Calls of the agent's own tools, even with invalid arguments: their results then say what is wrong. */
  uses: Call[];
  /** One entry for each other call, since providers refuse unanswered calls. The accepted action has no refusal. */
  results: Array<{ callId: string; refusal: Refusal | undefined }>;
}

type Call = Reply['calls'][number];

function readCall(call: Call, situation: Situation): Action | Refusal {
  if ('error' in call) return { kind: 'invalid', error: call.error };
  if (call.name === 'new_answer') {
    const content = String(call.input['content']);
    if (content.trim() === '') return { kind: 'invalid', error: 'content: it must not be empty' };
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

/** A reply that asks or uses tools has no action, since the agent has not seen the results yet. */
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
