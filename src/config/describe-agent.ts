import type { ToolSources } from '../protocol/tool.ts';
import type { Backend } from './backend.ts';
import { describeBroadcast } from './broadcast.ts';
import type { OneAgent } from './one-agent.ts';
import type { OrchestratorSettings } from './orchestrators.ts';

/** A configuration of one agent with all defaults filled in, in a few lines for a person. */
export function describeAgent(agent: OneAgent): string {
  const { id, backend, orchestrator, tools, coordination, budget, idle_timeout } = agent;
  const sources = describeTools(tools);
  return [
    `One agent (${id}):`,
    `  backend: ${describeBackend(backend)}`,
    `  orchestrator: ${describeOrchestrator(orchestrator)}`,
    `  tools: ${sources === '' ? 'none' : `${sources} (loaded by the worker)`}`,
    ...describeBroadcast(coordination),
    ...describeLimits(budget, idle_timeout),
  ].join('\n');
}

/** `openai gpt-5` */
export const describeBackend = ({ type, model }: Backend): string =>
  model === undefined ? type : `${type} ${model}`;

/** The packages and servers that tools come from, in one line; empty where there are none. */
export function describeTools({ packages, mcpServers }: ToolSources): string {
  return [...packages, ...mcpServers.map(({ name }) => `MCP server ${name}`)].join(', ');
}

/** A loop with its limits. */
export function describeOrchestrator(settings: OrchestratorSettings): string {
  switch (settings.kind) {
    case 'simple_tool': {
      const parallel = settings.parallel ? ', tools side by side' : '';
      return `simple_tool, up to ${settings.max_thoughts} model calls a turn${parallel}`;
    }
    case 'react': {
      const shown = settings.show_reasoning ? 'shown' : 'not shown';
      return (
        `react, up to ${settings.max_iterations} cycles a turn, reasoning ${shown}, ` +
        `at temperature ${settings.reasoning_temperature}`
      );
    }
    case 'custom':
      return `${settings.module} (loaded by the worker)`;
  }
}

/** The limits that every kind of configuration has. */
export const describeLimits = (budget: OneAgent['budget'], idleTimeout: number | undefined): string[] => [
  ...(budget === undefined ? [] : [`Budget: ${JSON.stringify(budget)}.`]),
  ...(idleTimeout === undefined ? [] : [`A session ends after ${idleTimeout} s without a turn.`]),
];
