import type { CancellationScope } from '@temporalio/workflow';
import type { Team } from '../../config/team.ts';
import type { NewMessage, Text, TranscriptRef } from '../../protocol/message.ts';
import type { EarlierMessage, OrchestrationResult } from '../../protocol/orchestration.ts';
import type { OrchestrationPhase } from '../../protocol/state.ts';
import type { Office } from '../runtime/run-context.ts';
import type { Member, Seat } from './participant.ts';

/** An answer that could be delivered. */
export interface BestAnswer {
  /** Configured id of its author. */
  agent: string;
  content: string;
}

/** A team that is seated and ready for a task: what it has through all tasks of a session. */
export interface Crew extends Office {
  team: Team;
  coordination: Team['orchestrator']['coordination'];
  maxAttempts: number;
  /** Stored sets of tools, by id. */
  toolSets: { coordination: string; decision: string };
  /** What agents are told of their duty, beside their personas. */
  duties: { coordination: Text; final: Text };
}

/** What an orchestration knows through all of its attempts. */
export interface Run extends Crew {
  seats: Seat[];
  /** The task and the messages before it, by reference where they are long. */
  task: Text;
  history: NewMessage[];
  /** Where the conversation before the task is in the store as one: a session's. */
  conversation: TranscriptRef | null;
  /** The task and what was said before it as plain text, for a file of the user's own. */
  plain: { task: string; history: () => Promise<EarlierMessage[]> };
  /** Number of the session's turn; 0 outside of sessions. */
  turn: number;
  restarts: OrchestrationResult['restarts'];
  /** What would be delivered if the run had to end now; an earlier attempt's until this one has chosen. */
  best: BestAnswer | undefined;
  /** The attempt under way, or the last one. */
  attempt: Attempt | undefined;
}

/** One attempt of the whole team. */
export interface Attempt {
  number: number;
  phase: OrchestrationPhase;
  /** The task as plain text, with why the team starts over. */
  brief: string;
  members: Member[];
  /** The agent whose answer won the vote. */
  selected: Member | undefined;
  /** Whether a call was refused because the run's budget is spent. */
  budgetSpent: boolean;
  /** All of its work; questions too, which a round of voting that starts again does not withdraw. */
  scope: CancellationScope;
}

/** As summaries of calls name it. */
export const whenOf = ({ number }: Attempt): string => `attempt ${number}`;
