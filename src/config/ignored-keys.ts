import type { CheckedConfig } from './kinds.ts';
import { proseSecrets } from './literal-secrets.ts';
import { problemText, type Problem } from './problems.ts';
import type { Backend } from '../protocol/settings.ts';

/** Keys of backends that do nothing in a role that has no tools. */
const keysOfTools = ['mcp_servers', 'cwd', 'enable_mcp_command_line'] as const;

const askedAlone =
  'broadcast: agents has nobody to ask in a team of one agent; human is the mode that has someone to ask';

const isMute = (agents: string[]): string =>
  `${agents.join(', ')}: the backend claude_code has no ask_others; such an agent neither asks nor is asked`;

/**
 * Warnings for a person about settings that do nothing: tools of a role that has none,
 * modules that no wire leads to, and asking other agents when there are none. And about texts that seem to hold a secret.
 */
export function ignoredKeys(config: CheckedConfig): string[] {
  return [...inertKeys(config), ...proseSecrets(config[config.kind as keyof typeof config]).map(tellProse)];
}

/** A text goes to models and stays in histories, but may only look like a secret. */
const tellProse = ({ path }: Problem): string =>
  problemText({ path, message: 'holds what looks like a secret, which models and all who read the run will see' });

function inertKeys(config: CheckedConfig): string[] {
  switch (config.kind) {
    case 'team': {
      const { agents = [], final_agent, orchestrator } = config.team;
      const { coordination } = orchestrator;
      const backends = [...agents, final_agent, final_agent?.judge].map((each) => each?.backend);
      const isAlone = agents.length === 1 && coordination.broadcast === 'agents';
      const mute = agents.filter(({ backend }) => backend?.type === 'claude_code').map(({ id }) => id);
      return [
        ...notice(backends, inRoles({ final_agent: final_agent?.backend, judge: final_agent?.judge?.backend })),
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
      const { permissions } = config.research;
      const ofTools = keysOfTools.map((key) => [key, backends.find((each) => each?.[key])]);
      return notice(backends, { ...Object.fromEntries(ofTools), permissions });
    }
    case 'plan': {
      const { backend, planner, validator, synthesis, executor } = config.plan.plan;
      const roles = {
        // What the general backend says of tools is the executor's, unless the executor has a backend of its own.
        backend: executor.backend && backend,
        planner: planner?.backend,
        validator: validator?.backend,
        synthesis: synthesis?.backend,
      };
      return notice([backend, executor.backend, ...Object.values(roles)], inRoles(roles));
    }
  }
}

/** What the backends of roles without tools say of tools. */
const inRoles = (roles: Record<string, Backend | undefined>): object =>
  Object.fromEntries(
    Object.entries(roles).flatMap(([role, backend]) =>
      keysOfTools.map((key) => [`${key} (of ${role})`, backend?.[key]]),
    ),
  );

/** @param backends those of all roles; undefined for a role that has none of its own @param inert what has no effect where it stands, by the names that are told */
function notice(backends: Array<Backend | undefined>, inert: object = {}): string[] {
  const named = Object.entries(inert).flatMap(([key, value]) => (value ? [key] : []));
  const isMoot = backends.some((each) => each?.command_line_execution_mode && !each.enable_mcp_command_line);
  const moot = isMoot ? ['command_line_execution_mode (without enable_mcp_command_line)'] : [];
  const names = [...named, ...moot];
  return names.length === 0 ? [] : [`Without effect in this version: ${names.join(', ')}`];
}
