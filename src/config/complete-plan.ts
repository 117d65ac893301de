import type { Backend } from './backend.ts';
import { describeBroadcast } from './broadcast.ts';
import { completeBackend, defaultBackend } from './default-team.ts';
import { describeBackend, describeLimits, describeOrchestrator, describeTools } from './describe-agent.ts';
import type { Environment } from './environment.ts';
import { orchestratorOf } from './orchestrators.ts';
import type { PlanConfig, PlanSettings } from './plan.ts';
import { lacking } from './preflight.ts';

/** Completes a configuration: a backend with its model for each role, the executors' loop and tools. */
export function completePlan(config: PlanConfig, environment: Environment): PlanSettings {
  const { backend, executor, planner, synthesis, validator, ...limits } = config.plan;
  const fallback = backend ?? defaultBackend(environment);
  const complete = (own: { backend?: Backend | undefined } | undefined): Backend =>
    completeBackend(own?.backend ?? fallback);
  return {
    ...limits,
    backends: {
      planner: complete(planner),
      validator: complete(validator),
      synthesis: complete(synthesis),
      executor: complete(executor),
    },
    orchestrator: orchestratorOf(executor.orchestrator),
    tools: {
      packages: executor.tool_packages,
      mcpServers: [...executor.mcp_servers, ...((executor.backend ?? fallback).mcp_servers ?? [])],
    },
    coordination: config.coordination,
    budget: config.budget,
  };
}

/** What would keep a plan from running in this environment: keys that are not set, models that nobody named. */
export function preflightPlan({ backends }: PlanSettings, environment: Environment): string[] {
  const lacks = Object.entries(backends).flatMap(([role, backend]) => lacking(role, backend, environment));
  return [...new Set(lacks)];
}

/** A configuration of a plan with all defaults filled in, in a few lines for a person. */
export function describePlan(settings: PlanSettings): string {
  const { backends, max_parallel_subtasks, max_retries, max_subtasks, orchestrator, tools } = settings;
  const sources = describeTools(tools);
  return [
    'A plan:',
    ...Object.entries(backends).map(([role, backend]) => `  ${role}: ${describeBackend(backend)}`),
    `Subtasks: ${describeOrchestrator(orchestrator)}.`,
    `Tools: ${sources === '' ? 'none' : `${sources} (loaded by the worker)`}.`,
    `Up to ${max_subtasks} subtasks, ${max_parallel_subtasks} at a time, and ${max_retries} rounds of repetition.`,
    ...describeBroadcast(settings.coordination),
    ...describeLimits(settings.budget, undefined),
  ].join('\n');
}
