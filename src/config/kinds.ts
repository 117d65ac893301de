import { teamSchema, type TeamConfig } from './team.ts';
import { problemsOf, type Problem } from './problems.ts';

/** The kinds of configuration, told apart by their top-level keys. A team's is the one without any of the others'. */
const otherKinds: Array<{ key: string; kind: string }> = [
  { key: 'modules', kind: 'one agent (modules and exchange)' },
  { key: 'exchange', kind: 'one agent (modules and exchange)' },
  { key: 'research', kind: 'research' },
  { key: 'plan', kind: 'plan' },
];

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/** Checks a configuration's content and fills in the defaults. */
export function checkTeam(content: unknown): Checked<TeamConfig> {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return { ok: false, problems: [{ path: [], message: 'a configuration is a mapping of keys to values' }] };
  }
  const other = otherKinds.find(({ key }) => key in content);
  if (other !== undefined) {
    const message = `configurations of the kind "${other.kind}" are not run by this version, only those of a team`;
    return { ok: false, problems: [{ path: [other.key], message }] };
  }
  const undelivered = claudeCodeAgents(content);
  if (undelivered.length > 0) return { ok: false, problems: undelivered };
  const result = teamSchema.safeParse(content);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, problems: problemsOf(teamSchema, result.error, content) };
}

function claudeCodeAgents(content: object): Problem[] {
  const { agents } = content as { agents?: unknown };
  const list: unknown[] = Array.isArray(agents) ? agents : [];
  const message =
    'claude_code is not delivered as a backend, and could not use ask_others; use claude, openai, gemini, chatcompletion or offline';
  return list.flatMap((agent, index) =>
    (agent as { backend?: { type?: unknown } } | null)?.backend?.type === 'claude_code'
      ? [{ path: ['agents', index, 'backend', 'type'], message }]
      : [],
  );
}

/** Keys that are accepted and kept, but do nothing in this version. */
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
    ['broadcast', coordination.broadcast !== false],
  ];
  const keys = inert.flatMap(([key, set]) => (set ? [key] : []));
  return keys.length === 0 ? [] : [`Without effect in this version: ${keys.join(', ')}`];
}
