import type { Ledger } from '../agents/ledger.ts';
import type { ModelCaller } from '../agents/model-caller.ts';
import type { OrchestrationResult, PreparedOrchestration } from '../messages/orchestration.ts';
import type { NewMessage, Text } from '../messages/message.ts';
import type { OrchestrationPhase } from '../messages/state.ts';
import type { EventLog } from './event-log.ts';
import type { Member, Seat } from './team.ts';

/** An answer that could be delivered. */
export interface BestAnswer {
  /** Configured id of its author. */
  agent: string;
  content: string;
}

/** What an orchestration knows through all of its attempts. */
export interface Run {
  prepared: PreparedOrchestration;
  coordination: PreparedOrchestration['team']['orchestrator']['coordination'];
  maxAttempts: number;
  seats: Seat[];
  events: EventLog;
  ledger: Ledger;
  caller: ModelCaller;
  /** The task and the conversation before it, by reference where they are long. */
  task: Text;
  history: NewMessage[];
  toolSets: { coordination: string; decision: string };
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
  members: Member[];
  /** The agent whose answer won the vote. */
  selected: Member | undefined;
  /** Whether a call was refused because the run's budget is spent. */
  budgetSpent: boolean;
}
