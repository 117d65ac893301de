import { z } from 'zod';
import { backendSchema, roleSchema } from './backend.ts';
import { completeBackend, defaultBackend, describeBackend, packagesOf } from './models/complete-backend.ts';
import { describeCoordination, soloShape, whole } from './coordination.ts';
import { inRoles, notice, checkSingleReplies, type ConfigKind } from './kind.ts';
import type { Environment } from '../util/environment.ts';
import { executorTools } from './tools/everyday-tools.ts';
import { describeOrchestrator, limitsFit, limitsShape, orchestratorOf, orchestratorSchema } from './orchestrators.ts';
import { describePermissions } from './tools/permissions.ts';
import { describeTools, mcpServersSchema, toolPackages, toolPackagesSchema } from './tool-sources.ts';
import { safe } from './privileges.ts';
import type { PlanSettings } from '../protocol/settings.ts';

/** The key `plan` (the document "Retry Optimization"). */
const settingsSchema = z.strictObject({
  backend: backendSchema.optional().describe('The model of every role that has none of its own.'),
  planner: roleSchema.optional().describe('Who analyses and plans.'),
  validator: roleSchema.optional().describe('Who judges the answer.'),
  synthesis: roleSchema.optional().describe('Who puts the answer together.'),
  executor: z
    .strictObject({
      backend: backendSchema.optional().describe('The model of the agents that carry out the subtasks.'),
      orchestrator: orchestratorSchema.default('simple_tool').describe('Their loop.'),
      ...limitsShape,
      tool_packages: toolPackagesSchema
        .optional()
        .describe(`${toolPackages} Absent, and without mcp_servers: ${executorTools.join(', ')}.`),
      mcp_servers: mcpServersSchema.default([]).describe('Servers of tools (Model Context Protocol).'),
    })
    .superRefine(limitsFit)
    .prefault({})
    .describe('Who carries out the subtasks, and with which tools.'),
  max_retries: whole(0, 100)
    .default(2)
    .meta(safe('How many rounds may follow the first one, whether they repeat what failed or plan anew.')),
  max_parallel_subtasks: whole(1, 100).default(5).meta(safe('How many subtasks are carried out at the same time.')),
  max_subtasks: whole(1, 500).default(50).meta(safe('How many subtasks all plans of a run may have together.')),
});

export const planSchema = z.strictObject({
  plan: settingsSchema.describe('A plan: who plans, works, checks and writes.'),
  ...soloShape,
});

export type PlanConfig = z.output<typeof planSchema>;

/** As a file's author writes it: keys with defaults may be left out. */
export type PlanConfigInput = z.input<typeof planSchema>;

/** Gives each role its backend with a model, and the executor its loop and its tools. */
export function completePlan({ plan, ...common }: PlanConfig, environment: Environment): PlanSettings {
  const { backend = defaultBackend(environment), planner, validator, synthesis, executor, ...limits } = plan;
  const { orchestrator, tool_packages, mcp_servers, backend: own = backend } = executor;
  const mcpServers = [...mcp_servers, ...(own.mcp_servers ?? [])];
  return {
    ...common,
    ...limits,
    backends: {
      planner: completeBackend(planner?.backend ?? backend),
      validator: completeBackend(validator?.backend ?? backend),
      synthesis: completeBackend(synthesis?.backend ?? backend),
      executor: completeBackend(own),
    },
    orchestrator: orchestratorOf(orchestrator, executor),
    tools: { packages: packagesOf(tool_packages ?? (mcpServers.length === 0 ? executorTools : []), own), mcpServers },
  };
}

export function describePlan(settings: PlanSettings): string {
  const { backends, max_parallel_subtasks, max_retries, max_subtasks, orchestrator, tools } = settings;
  const sources = describeTools(tools);
  return [
    'A plan:',
    ...Object.entries(backends).map(([role, backend]) => `  ${role}: ${describeBackend(backend)}`),
    `Subtasks: ${describeOrchestrator(orchestrator)}.`,
    `Tools: ${sources === '' ? 'none' : `${sources} (loaded by the worker)`}.`,
    `Up to ${max_subtasks} subtasks, ${max_parallel_subtasks} at a time, and ${max_retries} rounds of repetition.`,
    ...describeCoordination(settings.coordination, settings.budget),
    ...describePermissions(settings),
  ].join('\n');
}

export const planKind: ConfigKind<PlanConfig, PlanSettings> = {
  title: 'A plan',
  description: 'For `reprise solve`.',
  keys: ['plan'],
  check: (content) => checkSingleReplies(planSchema, content),
  complete: completePlan,
  roles: ({ backends: { planner, validator, synthesis, executor }, orchestrator, tools }) => ({
    planner: { backend: planner },
    validator: { backend: validator },
    synthesis: { backend: synthesis },
    executor: { backend: executor, orchestrator, tools },
  }),
  describe: describePlan,
  named: ({ plan: { backend, planner, validator, synthesis, executor } }) =>
    [planner, validator, synthesis, executor].map((role) => role?.backend ?? backend),
  inert({ plan: { backend, planner, validator, synthesis, executor } }) {
    const roles = {
      // What the general backend says of tools is the executor's, unless the executor has a backend of its own.
      backend: executor.backend && backend,
      planner: planner?.backend,
      validator: validator?.backend,
      synthesis: synthesis?.backend,
    };
    return notice([backend, executor.backend, ...Object.values(roles)], inRoles(roles));
  },
};
