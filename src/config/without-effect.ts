import type { Backend } from './backend.ts';
import type { OneAgentConfig } from './one-agent.ts';
import type { ResearchConfig } from './research.ts';
import type { TeamConfig } from './team.ts';

const askedAlone =
  'broadcast: agents has nobody to ask in a team of one agent; human is the mode that has someone to ask';

/** What does nothing as it is set, in words for a person: keys of later versions, and asking where nobody is to be asked. */
export function withoutEffect(team: TeamConfig): string[] {
  const { coordination, snapshot_storage, agent_temporary_workspace } = team.orchestrator;
  const agents = team.agents ?? [];
  const final = team.final_agent?.backend;
  return [
    ...notice([
      ['mcp_servers (of final_agent)', final?.mcp_servers],
      ...inertKeys([...agents.map(({ backend }) => backend), final]),
      ['snapshot_storage', snapshot_storage],
      ['agent_temporary_workspace', agent_temporary_workspace],
    ]),
    ...(agents.length === 1 && coordination.broadcast === 'agents' ? [askedAlone] : []),
  ];
}

/** The same of one agent, and the modules that do nothing since no wire leads to them. */
export function withoutEffectInAgent({ backend, unused }: OneAgentConfig): string[] {
  return [
    ...notice(inertKeys([backend])),
    ...(unused.length === 0 ? [] : [`Modules that nobody is wired to: ${unused.join(', ')}`]),
  ];
}

/** The same of a research, whose roles plan, judge and write, and have no tools of the world. */
export function withoutEffectInResearch({ research }: ResearchConfig): string[] {
  const { backend, plan, criticism, synthesize } = research;
  const backends = [backend, plan?.backend, criticism?.backend, synthesize?.backend];
  return notice([
    ['mcp_servers', backends.find((each) => each?.mcp_servers !== undefined)],
    ...inertKeys(backends),
  ]);
}

type Setting = [key: string, value: unknown];

const keysOfBackends = ['cwd', 'enable_mcp_command_line', 'command_line_execution_mode'] as const;

const inertKeys = (backends: Array<Backend | undefined>): Setting[] =>
  keysOfBackends.map((key) => [key, backends.find((backend) => backend?.[key] !== undefined)]);

function notice(settings: Setting[]): string[] {
  const keys = settings.flatMap(([key, value]) => (value === undefined ? [] : [key]));
  return keys.length === 0 ? [] : [`Without effect in this version: ${keys.join(', ')}`];
}
