import { Agent, type Opening } from '../agent/agent.ts';
import type { Colleague } from '../ask-others/broadcast.ts';
import type { ModelCaller } from '../agent/model-caller.ts';
import type { Toolbox } from '../agent/tool-executor.ts';
import type { Backend } from '../../config/backend.ts';
import type { OrchestratorSettings } from '../../config/orchestrators.ts';
import type { AgentState } from '../../protocol/events.ts';
import type { Text } from '../../protocol/message.ts';
import type { ToolSources } from '../../protocol/tool.ts';

/** An agent's place in the team, for the whole run. */
export interface Seat {
  /** Configured id. */
  id: string;
  /** Anonymous name: `agent1`… */
  name: string;
  persona: Text | undefined;
  backend: Backend;
  /** How it works; undefined: reply by reply. */
  orchestrator: OrchestratorSettings | undefined;
  /** Where its tools of the world come from. */
  tools: ToolSources | undefined;
  /** These tools, offered beside the team's own; undefined: none. */
  toolbox: Toolbox | undefined;
  /** Whether it ran out of time in some attempt: it then stays out of all later ones. */
  timedOut: boolean;
}

export interface GivenAnswer {
  content: string;
  /** The same, by reference where it is long. */
  text: Text;
}

export interface CastVote {
  /** Configured id of the agent voted for. */
  agent: string;
  reason: string;
}

/** A seat's work in one attempt. Made anew for each attempt, which is how a restart resets answers and votes. */
export interface Member {
  seat: Seat;
  agent: Agent;
  state: AgentState;
  millisecondsLeft: number;
  /** Replies in a row that were neither an answer nor a usable vote. */
  strikes: number;
  answersGiven: number;
  answer: GivenAnswer | undefined;
  vote: CastVote | undefined;
  /** Answers in this agent's prompts so far, by anonymous name. */
  shown: Map<string, string>;
  /** The same agent as its colleagues know it. */
  colleague: Colleague;
  /** Settles when what its last reply asks for is done: questions, tools; undefined while there is nothing. */
  busy: Promise<void> | undefined;
  /** Whether it has got results that it has not observed yet. */
  hasLearnt: boolean;
  /** Replies since its last action that used tools, and failed calls in this attempt. */
  toolRounds: number;
  failures: number;
  /** Why it is out of this attempt; undefined while it is in. */
  out: string | undefined;
}

export type AnsweredMember = Member & { answer: GivenAnswer };

export const hasAnswer = (member: Member): member is AnsweredMember => member.answer !== undefined;

export function newMember(
  seat: Seat,
  caller: ModelCaller,
  opening: Opening,
  timeoutSeconds: number,
  conversation: string,
): Member {
  const agent = new Agent({ id: seat.id, text: seat.persona, backend: seat.backend }, caller, opening);
  return {
    seat,
    agent,
    state: seat.timedOut ? 'timed out' : 'waiting',
    millisecondsLeft: timeoutSeconds * 1000,
    strikes: 0,
    answersGiven: 0,
    answer: undefined,
    vote: undefined,
    shown: new Map(),
    colleague: { id: seat.id, agent, conversation, asking: 0 },
    busy: undefined,
    hasLearnt: false,
    toolRounds: 0,
    failures: 0,
    out: seat.timedOut ? 'timed out in an earlier attempt' : undefined,
  };
}
