import type { Priority } from '@temporalio/common';
import type { OneAgentConfigInput } from '../config/one-agent.ts';
import type { PlanConfigInput } from '../config/plan.ts';
import type { ResearchConfigInput } from '../config/research.ts';
import type { TeamConfigInput } from '../config/team.ts';
import type { OrchestrationInput as Orchestration } from '../protocol/orchestration.ts';
import type { SolveInput as Solve } from '../protocol/plan-and-execute.ts';
import type { ResearchInput as Research } from '../protocol/research.ts';
import type { SessionInput as Session } from '../protocol/session.ts';
import { ifFound, RunNotOpenError } from './errors.ts';
import type { RunStatus } from './show/show.ts';

/**
 * The workflows' inputs as programs write them, with the types of their configurations. A `config` may also be the name of a
 * file in the worker's configuration folder.
 */
type Written<Input, Config> = Omit<Input, 'config'> & { config?: Config | string };

export type OrchestrationInput = Written<Orchestration, TeamConfigInput>;
export type ResearchInput = Written<Research, ResearchConfigInput>;
export type SolveInput = Written<Solve, PlanConfigInput>;
export type SessionInput = Written<Session, TeamConfigInput | OneAgentConfigInput>;

/** The input of a run of any kind. */
export type RunInput = OrchestrationInput | ResearchInput | SolveInput | SessionInput;

export interface StartOptions {
  /** The workflow's id; a readable one is made when absent. That of an open run is refused with `RunExistsError`. */
  id?: string;
  /**
   * Temporal's: `fairnessKey` names who shares the workers with others, such as a user, `fairnessWeight` how large their share is
   * (1), `priorityKey` from 1 to 5 (3) what goes before all others. When absent, that of the connection.
   */
  priority?: Priority;
  /** Whether the input is signed with the home's secret where it brings more than anybody may; true when absent. */
  sign?: boolean;
  /** What the run's memo is to hold besides, for whoever comes back to it. */
  memo?: Record<string, unknown>;
}

/** The messages that a person sends to a run, by the names of their signals. */
export type MessageName = 'answer' | 'approve' | 'requestRestart' | 'decide' | 'close' | 'stopTurn';

/** What is known of a run without a worker. */
export interface RunDescription {
  id: string;
  /** The workflow type. */
  workflow: string;
  status: RunStatus;
}

/** The workflow type of a run that still goes on. @throws `RunNotOpenError`, which says whether it is unknown or has ended */
export async function openWorkflow(way: { id: string; describe(): Promise<RunDescription> }): Promise<string> {
  const found = await ifFound(way.describe());
  if (found === undefined) throw new RunNotOpenError(`There is no run of the id ${way.id}`);
  if (isOpen(found.status)) return found.workflow;
  throw new RunNotOpenError(`The run ${way.id} has ended (${found.status.replaceAll('_', ' ')})`);
}

/** Whether a run of this status goes on. One that somebody has paused does, when it is let go on. */
export const isOpen = (status: RunStatus): boolean => status === 'running' || status === 'paused';
