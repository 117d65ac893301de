import { z } from 'zod';
import type { ToolSources } from '../protocol/tool.ts';
import { backendSchema, type Backend } from './backend.ts';
import { broadcastSchema } from './broadcast.ts';
import { orchestratorSchema, type OrchestratorSettings } from './orchestrators.ts';
import { seconds, waitingTime } from './seconds.ts';
import { toolPackagesSchema } from './tool-packages.ts';

const name = z.string().min(1);

const agentSchema = z.strictObject({
  id: name,
  system_message: name.optional(),
  orchestrator: orchestratorSchema.optional(),
  tool_packages: toolPackagesSchema.optional(),
  backend: backendSchema.optional(),
});

/** How a team works together (`orchestrator.coordination`). */
export const coordinationSchema = z.strictObject({
  max_orchestration_restarts: z.int().min(0).default(2),
  enable_post_presentation_evaluation: z.boolean().default(false),
  max_new_answers_per_agent: z.int().positive().default(3),
  answer_novelty_requirement: z.enum(['lenient', 'balanced', 'strict']).default('lenient'),
  enable_planning_mode: z.boolean().default(false),
  ...broadcastSchema.shape,
});

/** Limits of a whole run; an absent one is no limit. */
export const budgetSchema = z.strictObject({
  calls: z.int().positive().optional(),
  tokens: z.int().positive().optional(),
  usd: z.number().positive().optional(),
  seconds: z.number().positive().optional(),
});

const uniqueIds = (agents: Array<{ id: string }>, context: z.RefinementCtx): void => {
  agents.forEach(({ id }, index) => {
    if (agents.findIndex((other) => other.id === id) === index) return;
    context.addIssue({ code: 'custom', path: [index, 'id'], message: `a second agent of the id "${id}"` });
  });
};

/** A team's configuration file, with the defaults that the documentation names. */
export const teamSchema = z.strictObject({
  agents: z.array(agentSchema).min(1).superRefine(uniqueIds).optional(),
  final_agent: z.strictObject({ backend: backendSchema }).optional(),
  timeout_settings: z
    .strictObject({ orchestrator_timeout_seconds: seconds(1800), agent_timeout_seconds: seconds(600) })
    .prefault({}),
  orchestrator: z
    .strictObject({
      snapshot_storage: name.optional(),
      agent_temporary_workspace: name.optional(),
      coordination: coordinationSchema.prefault({}),
    })
    .prefault({}),
  budget: budgetSchema.optional(),
  /** Seconds that a session waits for the next turn before it ends; absent: for ever. */
  idle_timeout: waitingTime.optional(),
});

/** What a file says: agents may be absent, and so may their backends. */
export type TeamConfig = z.output<typeof teamSchema>;

/** The same as a file's author writes it, defaults left out. */
export type TeamConfigInput = z.input<typeof teamSchema>;

/** An agent that is ready to work. */
export interface TeamAgent {
  id: string;
  system_message?: string | undefined;
  backend: Backend;
  orchestrator: OrchestratorSettings;
  tools: ToolSources;
}

/** A team that is ready to run: every agent has its backend, its loop and its tools. */
export type Team = Omit<TeamConfig, 'agents'> & { agents: TeamAgent[] };
