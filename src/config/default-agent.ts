import { broadcastSchema } from './broadcast.ts';
import { completeBackend, defaultBackend } from './default-team.ts';
import type { Environment } from './environment.ts';
import type { OneAgent, OneAgentConfig } from './one-agent.ts';
import { orchestratorOf } from './orchestrators.ts';

/** The agent of a session without a configuration: the default backend, no system prompt, no tools. */
export function defaultAgent(environment: Environment): OneAgent {
  return {
    id: 'agent',
    backend: completeBackend(defaultBackend(environment)),
    orchestrator: orchestratorOf('simple_tool'),
    tools: { packages: [], mcpServers: [] },
    coordination: broadcastSchema.parse({}),
    budget: undefined,
  };
}

/** Completes a configuration: a model for its backend. */
export function completeAgent(config: OneAgentConfig): OneAgent {
  const { id, backend, orchestrator, tools, coordination, budget, idle_timeout } = config;
  return { id, backend: completeBackend(backend), orchestrator, tools, coordination, budget, idle_timeout };
}
