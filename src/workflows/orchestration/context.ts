import type { AgentState } from '../../protocol/agent-state.ts';
import type { Requester } from '../../protocol/events.ts';
import type { Content, NewMessage, Text, TranscriptRef } from '../../protocol/message.ts';
import type { ToolCallSummary } from '../../protocol/model-call.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import type { OrchestrationPhase } from '../../protocol/state.ts';
import type { TeamInstructions, TeamToolSets } from '../../protocol/stored.ts';
import type { AttemptFiles, RunFiles, TreeChanges } from '../../protocol/workspace.ts';
import type { Agent } from '../agent/agent.ts';
import type { Refusals } from '../agent/refusals.ts';
import { storeContent } from '../agent/text-refs.ts';
import type { ToolExecutor } from '../agent/tool-executor.ts';
import type { AgentWorkspace } from '../agent/workspace.ts';
import type { AskingAgent } from '../ask-others/broadcast.ts';
import type { Iteration } from '../runtime/iterate.ts';
import type { RunContext } from '../runtime/run-context.ts';
import type { Backend, OrchestratorSettings, Team, ToolSources } from '../../protocol/settings.ts';
import { shortened } from '../runtime/size.ts';
import { answerList } from './prompts.ts';

/** In a session it stays the same for all tasks. */
export interface TeamContext extends RunContext {
  team: Team;
  coordination: Team['orchestrator']['coordination'];
  maxAttempts: number;
  /** In milliseconds. */
  attemptTimeout: number;
  agents: TeamAgent[];
  toolSets: TeamToolSets;
  /** What system messages say after the persona. */
  instructions: TeamInstructions;
  /** For agents that have a workspace; undefined if none has. */
  filesInstructions: Omit<TeamInstructions, 'final'> | undefined;
}

export interface TeamAgent {
  id: string;
  /** Anonymous name, such as `agent1`. */
  name: string;
  persona: Text | undefined;
  backend: Backend;
  orchestrator: OrchestratorSettings;
  sources: ToolSources;
  /** Its own, together with the team's; undefined when it has none of its own. */
  tools: AttemptTools | undefined;
  /** The tree of files that it begins with, null for none; undefined if it has no workspace. */
  start: string | null | undefined;
  /** Whether it ran out of time in some attempt, and is therefore out of all later ones. */
  timedOut: boolean;
}

export interface AttemptTools {
  planning: ToolExecutor;
  acting: ToolExecutor;
}

/** A task and what was said before it, both by reference if they are long. */
export interface Task {
  task: Text;
  history: NewMessage[];
  /** The conversation before the task, in a session. */
  conversation: TranscriptRef | null;
  /** As plain text, for custom orchestrators. */
  plain: { task: string; history: () => Promise<EarlierMessage[]> };
  /** Number of the session's turn; 0 outside sessions. */
  turn: number;
}

export interface TeamFiles {
  workspace?: RunFiles;
  snapshots?: AttemptFiles[];
}

export interface OrchestrationContext extends TeamContext, Task {
  /** The attempt under way, or the last one. */
  attempt?: Attempt;
  /** The files of the attempts that are over; absent as long as there are none. */
  snapshots?: AttemptFiles[];
  delivered?: TeamFiles;
}

export interface TeamRestart {
  by: Requester;
  reason: string;
  instructions: string;
  /** With `enable_planning_mode`: whether the team is to carry out from now on what it has planned. */
  execute?: boolean | undefined;
}

export interface Attempt extends Iteration<TeamRestart> {
  phase: OrchestrationPhase;
  /** Whether tools that act are withheld (`enable_planning_mode`). */
  isPlanning: boolean;
  brief: string;
  participants: Participant[];
  /** The answers that the voters have been shown, by anonymous names. */
  shown: Map<string, string>;
  /** It stands for election too. */
  earlier: EarlierAnswer | undefined;
  selected?: Candidate;
  /** What would be delivered: first the answer that won, then what is presented. */
  result?: GivenAnswer;
  presenterWork: ToolCallSummary[];
  /** In which the final agent reviews, decides and presents. */
  reviewer?: Agent | undefined;
  budgetSpent: boolean;
}

export interface GivenAnswer {
  content: string;
  text: Content;
  /** Whether it ends in the middle, since its model came to its limit of tokens. */
  isCut?: boolean;
  /** The files that belong to it, null for none; absent if its agent has no workspace. */
  tree?: string | null;
  /** What they differ in from those that the run has begun with; absent if in nothing, or not known yet. */
  changes?: TreeChanges;
  /** The same line by line, as voters and judges are shown it. */
  diff?: Text | undefined;
}

export interface Candidate {
  /** Anonymous name, such as `agent1`. */
  name: string;
  teamAgent: TeamAgent;
  answer: GivenAnswer;
  attempt: number;
  work: ToolCallSummary[];
}

export interface EarlierAnswer extends Candidate {
  /** Whether a new answer needs more votes than it. An answer that a person has rejected needs the most votes itself. */
  leads: boolean;
}

/** Each attempt has new participants, which is how a restart resets answers and votes. */
export interface Participant {
  teamAgent: TeamAgent;
  agent: Agent;
  state: AgentState;
  millisecondsLeft: number;
  /** When it began what it does now, and how long it had waited for keys by then. */
  working?: { since: number; waited: number } | undefined;
  /** Replies in a row that were neither an answer nor a usable vote. */
  invalidReplies: number;
  /** How its model comes to call: one that has only ever written texts in place of calls is held to them by a schema. */
  calling: 'unknown' | 'by_itself' | 'by_schema';
  /** A text of which the agent was told that it was neither an answer nor a vote. */
  textReply?: GivenAnswer | undefined;
  /** What was wrong with its last reply, in words; empty when nothing was. */
  lastProblem: string;
  answersGiven: number;
  answer?: GivenAnswer | undefined;
  vote?: { name: string; reason: string } | undefined;
  asker: AskingAgent;
  /** Settles when the questions and tools of its last reply are done. */
  pendingCalls?: Promise<void> | undefined;
  /** Whether it has results that it has not observed yet, as `react` does. */
  hasLearnt: boolean;
  /** Replies with tool calls since its last action. */
  toolRounds: number;
  /** The calls of its tools that were refused since its last action. */
  refusals: Refusals;
  failures: number;
  tools: ToolExecutor | undefined;
  workspace: AgentWorkspace | undefined;
  /** Settles when it was told which files belong to its answer. */
  pendingDiff?: Promise<void> | undefined;
  work: ToolCallSummary[];
  /** Why it is out of this attempt; undefined while it is in. `isUnusable`: what its model wrote was of no use. */
  out: string | undefined;
  isUnusable?: boolean;
}

export interface Participation {
  context: OrchestrationContext;
  attempt: Attempt;
  participant: Participant;
}

export type AnsweredParticipant = Participant & { answer: GivenAnswer };

export const hasAnswer = (participant: Participant): participant is AnsweredParticipant =>
  participant.answer !== undefined;

export const isIn = (participant: Participant): boolean => participant.out === undefined;

/** The attempt's name in the summaries of model calls. */
export const whenOf = ({ number }: Attempt): string => `attempt ${number}`;

/** The answers that may be voted for: those of the attempt in the order of the configuration, then the earlier one. */
export function candidatesOf({ earlier, number, participants }: Attempt): Candidate[] {
  const answered = participants.filter(hasAnswer);
  const candidates = answered.map(({ answer, teamAgent, work }): Candidate => {
    return { name: teamAgent.name, teamAgent, answer, attempt: number, work };
  });
  return earlier === undefined ? candidates : [...candidates, earlier];
}

/**
 * A long list is stored once: each of a hundred voters gets all of a hundred answers, and what all their calls name
 * together must fit into one message to the server.
 */
export function answersText(candidates: Candidate[]): Promise<Content> {
  const list = answerList(
    candidates.map(({ answer: { content, diff, text }, name }) => ({ name, content, reference: text, diff })),
  );
  return storeContent(list, candidates.map(({ answer }) => answer.content).join('\n'));
}

/** The anonymous names of those answers that an agent has given. */
export const namesOf = (candidates: Candidate[], author: TeamAgent): string[] =>
  candidates.filter(({ teamAgent }) => teamAgent === author).map(({ name }) => name);

/** The part of a text that events hold. The whole text is in the transcript. */
export const preview = (text: string): string => shortened(text, 2000);
