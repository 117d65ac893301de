import type { Backend } from './backend.ts';
import type { CheckedConfig } from './kinds.ts';

type Setting = [name: string, value: unknown];

/** Keys of later versions, in every backend of every kind of configuration. */
const keysOfBackends = ['cwd', 'enable_mcp_command_line', 'command_line_execution_mode'] as const;

const askedAlone =
  'broadcast: agents has nobody to ask in a team of one agent; human is the mode that has someone to ask';

/**
 * What does nothing as it is set, in words for a person: keys of later versions, servers of tools for those who have no
 * tools, modules that are not wired, asking where nobody is to be asked.
 */
export function ignoredKeys(config: CheckedConfig): string[] {
  switch (config.kind) {
    case 'team': {
      const { agents = [], final_agent, orchestrator } = config.team;
      const { coordination, snapshot_storage, agent_temporary_workspace } = orchestrator;
      const backends = [...agents, final_agent].map((each) => each?.backend);
      const isAlone = agents.length === 1 && coordination.broadcast === 'agents';
      return [
        ...notice(
          backends,
          [['mcp_servers (of final_agent)', final_agent?.backend.mcp_servers]],
          Object.entries({ snapshot_storage, agent_temporary_workspace }),
        ),
        ...(isAlone ? [askedAlone] : []),
      ];
    }
    case 'agent': {
      const { backend, unused } = config.agent;
      const unwired = unused.length === 0 ? [] : [`Modules that nobody is wired to: ${unused.join(', ')}`];
      return [...notice([backend]), ...unwired];
    }
    case 'research': {
      const { backend, plan, criticism, synthesize } = config.research.research;
      const backends = [backend, plan?.backend, criticism?.backend, synthesize?.backend];
      return notice(backends, [['mcp_servers', backends.find((each) => each?.mcp_servers)]]);
    }
    case 'plan': {
      const { backend, planner, validator, synthesis, executor } = config.plan.plan;
      const others = Object.entries({ planner, validator, synthesis });
      return notice(
        [backend, executor.backend, ...others.map(([, role]) => role?.backend)],
        [
          // They are the executor's, unless that has a backend of its own.
          ['mcp_servers (of backend)', executor.backend && backend?.mcp_servers],
          ...others.map(([name, role]): Setting => [`mcp_servers (of ${name})`, role?.backend.mcp_servers]),
        ],
      );
    }
  }
}

/** @param backends absent where a role has none of its own */
function notice(backends: Array<Backend | undefined>, servers: Setting[] = [], others: Setting[] = []): string[] {
  const isSet = (key: keyof Backend): boolean => backends.some((each) => each?.[key] !== undefined);
  const inert = keysOfBackends.filter(isSet).map((key): Setting => [key, true]);
  const settings = [...servers, ...inert, ...others].filter(([, value]) => value !== undefined);
  if (settings.length === 0) return [];
  return [`Without effect in this version: ${settings.map(([name]) => name).join(', ')}`];
}
