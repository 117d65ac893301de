import type { BlobRef, Text, TranscriptRef } from './message.ts';
import type { PreparedOrchestration, PreparedTeam } from './orchestration.ts';
import type { PreparedSolve } from './plan-and-execute.ts';
import type { PreparedResearch, ResearchRole } from './research.ts';
import type { PreparedAgent, PreparedSession } from './session.ts';

/** What all prompts of a run repeat. The activity that prepares a run puts it into the store; workflows have references. */

/** What system messages of a team say after the persona: to those who answer and vote, while they only plan, and to the judge. */
export interface TeamInstructions {
  coordination: Text;
  planning: Text;
  final: Text;
  /** Those of agents that cannot ask others in a team that otherwise may; absent if there are none. */
  alone?: { coordination: Text; planning: Text };
}

/** The tools that agents have while they answer and vote, and those that the judge has: the same in all attempts. */
export interface TeamToolSets {
  coordination: BlobRef;
  decision: BlobRef;
  /** Those of agents that cannot ask others in a team that otherwise may; absent if there are none. */
  alone?: BlobRef;
}

export interface StoredTeam {
  toolSets: TeamToolSets;
  instructions: TeamInstructions;
  /** Those for agents that have a workspace; absent if none can have one. */
  filesInstructions?: Omit<TeamInstructions, 'final'>;
  /** One for each agent; empty for one without. */
  personas: Text[];
}

/** A task, and the texts of the messages before it. */
export interface StoredTask {
  task: Text;
  history: Text[];
}

export interface StoredResearch {
  idea: Text;
  /** The tools that each role is offered. */
  tools: Record<ResearchRole, BlobRef>;
  instructions: Record<ResearchRole, Text>;
  /** What came of earlier research on similar ideas; absent if there was none. */
  lessons?: Text;
}

/** What a run begins with: its input, checked and completed, and the id of the store that it belongs to. */
export type InStore<P> = P & { store: string };

/** The same with what its prompts repeat. */
export type Opened<P, S> = InStore<P> & { stored: S };

export type OpenedSolve = InStore<PreparedSolve>;

export type OpenedTeam = Opened<PreparedTeam, StoredTeam>;

export type OpenedOrchestration = Opened<PreparedOrchestration, StoredTeam & StoredTask>;

/** `system`: the agent's system message; empty for none. */
export type OpenedAgent = Opened<PreparedAgent, { system: Text }>;

/** `before`: what was said before the session; null for nothing. */
export type OpenedSession = Pick<PreparedSession, 'text'> & { stored: { before: TranscriptRef | null } } & (
    | ({ kind: 'team' } & OpenedTeam)
    | ({ kind: 'agent' } & OpenedAgent)
  );

export type OpenedResearch = Opened<PreparedResearch, StoredResearch>;
