import { z } from 'zod';
import { backendSchema, type Backend } from './backend.ts';
import { soloBroadcastSchema } from './broadcast.ts';
import { mcpServersSchema } from './mcp-servers.ts';
import { orchestratorSchema, type OrchestratorSettings } from './orchestrators.ts';
import type { ToolSources } from '../protocol/tool.ts';
import { budgetSchema } from './team.ts';
import { toolPackagesSchema } from './tool-packages.ts';

const role = z.strictObject({ backend: backendSchema }).optional();

/** The key `plan` (the document "Retry Optimization"). */
const settingsSchema = z.strictObject({
  backend: backendSchema.optional(),
  planner: role,
  validator: role,
  synthesis: role,
  executor: z
    .strictObject({
      backend: backendSchema.optional(),
      orchestrator: orchestratorSchema.default('simple_tool'),
      tool_packages: toolPackagesSchema.default([]),
      mcp_servers: mcpServersSchema.default([]),
    })
    .prefault({}),
  max_retries: z.int().min(0).max(100).default(2),
  max_parallel_subtasks: z.int().min(1).max(100).default(5),
  max_subtasks: z.int().min(1).max(500).default(50),
});

/** A configuration file of a plan, with the defaults that the documentation names. */
export const planSchema = z.strictObject({
  plan: settingsSchema.prefault({}),
  coordination: soloBroadcastSchema.prefault({}),
  budget: budgetSchema.optional(),
});

/** What a file says: backends may be absent. */
export type PlanConfig = z.output<typeof planSchema>;

/** The same as a file's author writes it, defaults left out. */
export type PlanConfigInput = z.input<typeof planSchema>;

/** A plan that is ready to run. */
export interface PlanSettings {
  backends: { planner: Backend; validator: Backend; synthesis: Backend; executor: Backend };
  orchestrator: OrchestratorSettings;
  tools: ToolSources;
  max_retries: number;
  max_parallel_subtasks: number;
  max_subtasks: number;
  coordination: PlanConfig['coordination'];
  budget?: PlanConfig['budget'];
}
