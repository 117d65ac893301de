import { defaultModel } from '../models/providers.ts';
import type { Backend } from './backend.ts';
import type { Environment } from './environment.ts';
import { orchestratorOf } from './orchestrators.ts';
import type { Team, TeamConfig } from './team.ts';

/** The team where a configuration names no agents: three ways of looking at a task. */
const defaultAgents = [
  {
    id: 'agent_a',
    system_message: 'You are brief and exact: say what was asked for in as few words as it takes.',
  },
  { id: 'agent_b', system_message: 'You are thorough: cover every part of the task.' },
  { id: 'agent_c', system_message: 'You are careful: check each claim, and name the source it rests on.' },
];

/** The backend of agents that name none: the first provider whose key is set, else the offline model. */
export function defaultBackend(environment: Environment): Backend {
  if (environment['OPENAI_API_KEY'] !== undefined) return { type: 'openai' };
  if (environment['ANTHROPIC_API_KEY'] !== undefined) return { type: 'claude' };
  if (environment['GEMINI_API_KEY'] !== undefined) return { type: 'gemini' };
  return { type: 'offline' };
}

/** Completes a configuration: agents where it has none; a backend with its model, a loop and tools for each agent. */
export function completeTeam(config: TeamConfig, environment: Environment): Team {
  const fallback = defaultBackend(environment);
  const agents: TeamConfig['agents'] = config.agents ?? defaultAgents;
  return {
    ...config,
    agents: agents.map(({ id, system_message, backend = fallback, ...work }) => ({
      id,
      ...(system_message !== undefined && { system_message }),
      backend: completeBackend(backend),
      orchestrator: orchestratorOf(work.orchestrator ?? 'simple_tool'),
      tools: { packages: work.tool_packages ?? [], mcpServers: backend.mcp_servers ?? [] },
    })),
    ...(config.final_agent && { final_agent: { backend: completeBackend(config.final_agent.backend) } }),
  };
}

/** A backend with its model. Its tools are its agent's, and stand there. */
export function completeBackend(backend: Backend): Backend {
  const model = backend.model ?? defaultModel(backend.type);
  return { ...backend, ...(model !== undefined && { model }), mcp_servers: undefined };
}
