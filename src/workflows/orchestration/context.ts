import type { OrchestratorSettings } from '../../config/orchestrators.ts';
import type { Backend } from '../../config/backend.ts';
import type { Team } from '../../config/team.ts';
import type { AgentState } from '../../protocol/agent-state.ts';
import type { Requester } from '../../protocol/events.ts';
import type { NewMessage, Text, TranscriptRef } from '../../protocol/message.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import type { OrchestrationPhase } from '../../protocol/state.ts';
import type { ToolSources } from '../../config/tool-sources.ts';
import type { Agent } from '../agent/agent.ts';
import type { ToolExecutor } from '../agent/tool-executor.ts';
import type { Asker } from '../ask-others/broadcast.ts';
import type { Iteration } from '../runtime/iterate.ts';
import type { RunContext } from '../runtime/run-context.ts';

/** A team that is ready for a task: what it has through all tasks of a session. */
export interface TeamContext extends RunContext {
  team: Team;
  coordination: Team['orchestrator']['coordination'];
  maxAttempts: number;
  /** Milliseconds. */
  attemptTimeout: number;
  agents: TeamAgent[];
  /** Stored sets of tools, by id. */
  toolSets: { coordination: string; decision: string };
  /** What agents are told beside their personas. */
  instructions: { coordination: Text; final: Text };
}

/** An agent of a team, for the whole run. */
export interface TeamAgent {
  /** Configured id. */
  id: string;
  /** Anonymous name: `agent1`… */
  name: string;
  persona: Text | undefined;
  backend: Backend;
  orchestrator: OrchestratorSettings;
  /** Where its tools of the world come from. */
  sources: ToolSources;
  /** These tools, offered beside the team's own; undefined: none. */
  tools: ToolExecutor | undefined;
  /** Whether it ran out of time in some attempt: it then stays out of all later ones. */
  timedOut: boolean;
}

/** A task with what was said before it, by reference where it is long. */
export interface Task {
  task: Text;
  history: NewMessage[];
  /** Where the conversation before the task is in the store as one: a session's. */
  conversation: TranscriptRef | null;
  /** The task and what was said before it as plain text, for a custom orchestrator. */
  plain: { task: string; history: () => Promise<EarlierMessage[]> };
  /** Number of the session's turn; 0 outside of sessions. */
  turn: number;
}

/** What an orchestration knows through all of its attempts. */
export interface OrchestrationContext extends TeamContext, Task {
  /** The attempt under way, or the last one. */
  attempt: Attempt | undefined;
}

/** Why an attempt was not good enough, and who says so. */
export interface TeamRestart {
  by: Requester;
  reason: string;
  instructions: string;
}

/** One attempt of the whole team. */
export interface Attempt extends Iteration<TeamRestart> {
  phase: OrchestrationPhase;
  /** The task as plain text, with why the team starts over. */
  brief: string;
  participants: Participant[];
  /** The participant whose answer won the vote. */
  selected: AnsweredParticipant | undefined;
  /** What would be delivered: the answer that won, then as it is presented. */
  result: GivenAnswer | undefined;
  /** The conversation in which the final agent reviews, decides and presents; undefined until it begins. */
  reviewer: Agent | undefined;
  /** Whether a call was refused because the run's budget is spent. */
  budgetSpent: boolean;
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

/** An agent's work in one attempt. Made anew for each attempt, which is how a restart resets answers and votes. */
export interface Participant {
  teamAgent: TeamAgent;
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
  /** The same agent as one who asks and is asked. */
  asker: Asker;
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

export type AnsweredParticipant = Participant & { answer: GivenAnswer };

export const hasAnswer = (participant: Participant): participant is AnsweredParticipant =>
  participant.answer !== undefined;

export const isIn = (participant: Participant): boolean => participant.out === undefined;

/** As summaries of calls name it. */
export const whenOf = ({ number }: Attempt): string => `attempt ${number}`;

/** Events are for looking at: the whole text is in the transcript. */
export const preview = (text: string): string => (text.length <= 2000 ? text : `${text.slice(0, 2000)}…`);
