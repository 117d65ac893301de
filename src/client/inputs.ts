import type { OneAgentConfigInput } from '../config/one-agent.ts';
import type { PlanConfigInput } from '../config/plan.ts';
import type { ResearchConfigInput } from '../config/research.ts';
import type { TeamConfigInput } from '../config/team.ts';
import type { OrchestrationInput as Orchestration } from '../protocol/orchestration.ts';
import type { SolveInput as Solve } from '../protocol/plan-and-execute.ts';
import type { ResearchInput as Research } from '../protocol/research.ts';
import type { SessionInput as Session } from '../protocol/session.ts';

/**
 * The workflows' inputs as programs write them, with the types of their configurations. A `config` may also be the name of a
 * file in the worker's configuration folder.
 */
type Written<Input, Config> = Omit<Input, 'config'> & { config?: Config | string };

export type OrchestrationInput = Written<Orchestration, TeamConfigInput>;
export type ResearchInput = Written<Research, ResearchConfigInput>;
export type SolveInput = Written<Solve, PlanConfigInput>;
export type SessionInput = Written<Session, TeamConfigInput | OneAgentConfigInput>;
