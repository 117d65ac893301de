import { Agent } from '../agent/agent.ts';
import type { Purpose } from '../agent/model-caller.ts';
import type { Speaker } from '../agent/structured-output.ts';
import type { Toolbox } from '../agent/tool-executor.ts';
import type { Backend } from '../../config/backend.ts';
import type { PlanSettings } from '../../config/plan.ts';
import type { Attachment } from '../../protocol/attachment.ts';
import type { AgentState } from '../../protocol/events.ts';
import type { Text } from '../../protocol/message.ts';
import type { QueryAnalysis, SolvePhase, Validation } from '../../protocol/plan-and-execute.ts';
import type { ShownResult } from './prompts.ts';
import type { Subtask, Subtasks } from './rules/subtasks.ts';
import type { Office } from '../runtime/run-context.ts';

/** Time that each model call has, in milliseconds. */
export const callTimeout = 600_000;

export type SolveRole = 'planner' | 'validator' | 'synthesis';

/** What stands in the store and is named by all prompts. */
export interface Stored {
  problem: Text;
  tools: { analysis: string; plan: string; validation: string };
  duties: Record<SolveRole | 'executor', Text>;
}

/** All that the execution of a plan knows while it runs. */
export interface Job extends Office {
  problem: string;
  settings: PlanSettings;
  stored: Stored;
  attachments: Attachment[];
  toolbox: Toolbox;
  planner: Speaker;
  analysis: QueryAnalysis;
  subtasks: Subtasks;
  /** Results by reference where they are long. */
  results: Map<string, Text>;
  phase: SolvePhase;
  /** Rounds of repetition so far. */
  retries: number;
  /** What agents are doing at this moment, by their ids. */
  working: Map<string, AgentState>;
  /** The present conversation of each agent, by its id. */
  conversations: Map<string, Agent>;
  /** The last answer; undefined before the first. */
  answer: string | undefined;
  /** What was said of it; null: nobody could say. */
  validation: Validation | null;
}

/** Gives a role a fresh conversation. */
export function newSpeaker(
  job: Pick<Job, 'broadcast' | 'caller' | 'conversations' | 'settings' | 'stored'>,
  role: SolveRole,
  tools: string,
): Speaker {
  const { broadcast, caller, conversations, settings, stored } = job;
  const backend: Backend = settings.backends[role];
  const opening = { system: stored.duties[role], transcript: null, messages: [] };
  const agent = new Agent({ id: role, text: undefined, backend }, caller, opening);
  conversations.set(role, agent);
  return { id: role, agent, conversation: role, asking: 0, tools, broadcast };
}

/** `round 2`: 1 is the plan itself. */
export const whenOf = ({ retries }: Job): string => `round ${retries + 1}`;

export function purposeOf(job: Job, what: Purpose['what']): Purpose {
  return { what, when: whenOf(job), timeout: callTimeout };
}

/** Has an agent do its work, and shows what it is doing meanwhile. */
export async function atWork<T>(
  { working }: Job,
  id: string,
  state: AgentState,
  work: (onAsking: (isAsking: boolean) => void) => Promise<T>,
): Promise<T> {
  working.set(id, state);
  try {
    return await work((isAsking) => working.set(id, isAsking ? 'asking' : state));
  } finally {
    working.delete(id);
  }
}

/** A subtask of the run, which has one of that id. */
export const subtaskOf = ({ subtasks }: Job, id: string): Subtask => subtasks.get(id) as Subtask;

/** The completed ones among some subtasks, or among all, with their results. */
export function resultsOf({ results, subtasks }: Job, ids?: string[]): ShownResult[] {
  return subtasks
    .report()
    .filter(({ id, status }) => status === 'completed' && (ids === undefined || ids.includes(id)))
    .map(({ description, id, result = '' }) => ({ id, description, result: results.get(id) ?? result }));
}
