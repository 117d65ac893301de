import { z } from 'zod';
import { backendTypes } from './backend.ts';
import { broadcastSchema } from './broadcast.ts';
import { problemsOf, type Problem } from './problems.ts';
import { teamSchema, type TeamConfig } from './team.ts';

/** The kinds of configuration, told apart by their top-level keys. A team's is the one without any of the others'. */
const otherKinds: Array<{ key: string; kind: string }> = [
  { key: 'modules', kind: 'one agent (modules and exchange)' },
  { key: 'exchange', kind: 'one agent (modules and exchange)' },
  { key: 'research', kind: 'research' },
  { key: 'plan', kind: 'plan' },
];

/** What the other kinds have in common. */
const otherSchema = z.looseObject({ coordination: broadcastSchema.optional() });

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/** Checks a configuration's content and fills in the defaults. */
export function checkTeam(content: unknown): Checked<TeamConfig> {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return { ok: false, problems: [{ path: [], message: 'a configuration is a mapping of keys to values' }] };
  }
  const other = otherKinds.find(({ key }) => key in content);
  if (other !== undefined) {
    const message = `configurations of the kind "${other.kind}" are not run by this version, only those of a team`;
    return { ok: false, problems: [{ path: [other.key], message }, ...problemsOfOther(content)] };
  }
  const result = teamSchema.safeParse(content);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, problems: problemsOf(teamSchema, result.error, content).map(aboutClaudeCode) };
}

function problemsOfOther(content: object): Problem[] {
  const result = otherSchema.safeParse(content);
  if (!result.success) return problemsOf(otherSchema, result.error, content);
  if (result.data.coordination?.broadcast !== 'agents') return [];
  const message = '"agents" has nobody to ask where there is one agent; use human, which asks a person';
  return [{ path: ['coordination', 'broadcast'], message }];
}

/** MassGen has this backend, so that its users may try it here: they are told what it would lack besides. */
function aboutClaudeCode(problem: Problem): Problem {
  if (!problem.message.startsWith('"claude_code" is not one of')) return problem;
  const others = backendTypes.join(', ');
  const message =
    'claude_code is not delivered as a backend, and with broadcasting on, ' +
    `an agent of that backend would have no ask_others; use one of ${others}`;
  return { ...problem, message };
}

const askedAlone =
  'broadcast: agents has nobody to ask in a team of one agent; human is the mode that has someone to ask';

/** What does nothing as it is set, in words for a person: keys of later versions, and asking where nobody is to be asked. */
export function withoutEffect(team: TeamConfig): string[] {
  const { coordination, snapshot_storage, agent_temporary_workspace } = team.orchestrator;
  const agents = team.agents ?? [];
  const backends = [...agents.map(({ backend }) => backend), team.final_agent?.backend].filter(
    (each) => each !== undefined,
  );
  const inert: Array<[key: string, set: boolean]> = [
    [
      'orchestrator (of an agent)',
      agents.some(({ orchestrator = 'simple_tool' }) => orchestrator !== 'simple_tool'),
    ],
    ['tool_packages', agents.some(({ tool_packages }) => tool_packages !== undefined)],
    ['mcp_servers', backends.some(({ mcp_servers }) => mcp_servers !== undefined)],
    ['cwd', backends.some(({ cwd }) => cwd !== undefined)],
    ['enable_mcp_command_line', backends.some((backend) => backend.enable_mcp_command_line !== undefined)],
    [
      'command_line_execution_mode',
      backends.some((backend) => backend.command_line_execution_mode !== undefined),
    ],
    ['snapshot_storage', snapshot_storage !== undefined],
    ['agent_temporary_workspace', agent_temporary_workspace !== undefined],
    ['enable_planning_mode', coordination.enable_planning_mode],
  ];
  const keys = inert.flatMap(([key, set]) => (set ? [key] : []));
  return [
    ...(keys.length === 0 ? [] : [`Without effect in this version: ${keys.join(', ')}`]),
    ...(agents.length === 1 && coordination.broadcast === 'agents' ? [askedAlone] : []),
  ];
}
