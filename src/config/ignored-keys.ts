import type { Backend } from './backend.ts';
import type { CheckedConfig } from './kinds.ts';

/** Keys of any backend that only later versions act on. */
const keysOfBackends = ['cwd', 'enable_mcp_command_line', 'command_line_execution_mode'] as const;

const askedAlone =
  'broadcast: agents has nobody to ask in a team of one agent; human is the mode that has someone to ask';

const isMute = (agents: string[]): string =>
  `${agents.join(', ')}: the backend claude_code has no ask_others; such an agent neither asks nor is asked`;

/**
 * Warnings for a person about settings that do nothing: keys of later versions, MCP servers of a role that has no tools,
 * modules that no wire leads to, and asking other agents when there are none.
 */
export function ignoredKeys(config: CheckedConfig): string[] {
  switch (config.kind) {
    case 'team': {
      const { agents = [], final_agent, orchestrator } = config.team;
      const { coordination, snapshot_storage, agent_temporary_workspace } = orchestrator;
      const backends = [...agents, final_agent, final_agent?.judge].map((each) => each?.backend);
      const isAlone = agents.length === 1 && coordination.broadcast === 'agents';
      const mute = agents.filter(({ backend }) => backend?.type === 'claude_code').map(({ id }) => id);
      return [
        ...notice(
          backends,
          {
            'mcp_servers (of final_agent)': final_agent?.backend?.mcp_servers,
            'mcp_servers (of judge)': final_agent?.judge?.backend.mcp_servers,
          },
          { snapshot_storage, agent_temporary_workspace },
        ),
        ...(isAlone ? [askedAlone] : []),
        ...(coordination.broadcast !== false && mute.length > 0 ? [isMute(mute)] : []),
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
      return notice(backends, { mcp_servers: backends.find((each) => each?.mcp_servers) });
    }
    case 'plan': {
      const { backend, planner, validator, synthesis, executor } = config.plan.plan;
      return notice([backend, executor.backend, planner?.backend, validator?.backend, synthesis?.backend], {
        // The servers of the general backend are the executor's, unless the executor has a backend of its own.
        'mcp_servers (of backend)': executor.backend && backend?.mcp_servers,
        'mcp_servers (of planner)': planner?.backend.mcp_servers,
        'mcp_servers (of validator)': validator?.backend.mcp_servers,
        'mcp_servers (of synthesis)': synthesis?.backend.mcp_servers,
      });
    }
  }
}

/** @param backends those of all roles; undefined for a role that has none of its own */
function notice(backends: Array<Backend | undefined>, servers: object = {}, general: object = {}): string[] {
  const namesIn = (settings: object) => Object.entries(settings).flatMap(([key, value]) => (value ? [key] : []));
  // Claude Code runs its commands itself.
  const others = backends.filter((each) => each?.type !== 'claude_code');
  const ofBackends = keysOfBackends.filter((key) => others.some((each) => each?.[key] !== undefined));
  const names = [...namesIn(servers), ...ofBackends, ...namesIn(general)];
  return names.length === 0 ? [] : [`Without effect in this version: ${names.join(', ')}`];
}
