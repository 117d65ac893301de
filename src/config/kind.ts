import type { z } from 'zod';
import { missingForNotify } from './notify.ts';
import { preflightBackends } from './models/complete-backend.ts';
import { checkedBy, type Checked } from './problems.ts';
import { preflightCommands, withCommands } from './tools/commands.ts';
import type { Environment } from '../util/environment.ts';
import { unsetForServers } from './tools/server-variables.ts';
import type { Backend, NotifyEntry, OrchestratorSettings, ToolSources } from '../protocol/settings.ts';

/** Who calls a model in a run, with the loop and the tools that it has, if any. */
export interface Role {
  backend: Backend;
  orchestrator?: OrchestratorSettings;
  tools?: ToolSources;
}

export interface ConfigKind<Config, Settings> {
  /** The title and the description of its JSON schema. */
  title: string;
  description: string;
  /** Top-level keys, each of which shows that a configuration is of this kind. */
  keys: string[];
  check(content: object): Checked<Config>;
  /** Fills in what depends on the environment, such as the backend of those for whom the file names none. */
  complete(config: Config, environment: Environment): Settings;
  /** Those who call a model, by the words in which a problem names them. */
  roles(settings: Settings): Record<string, Role>;
  /** What would keep it from running beside the backends and tools of its roles. */
  missing?(settings: Settings, environment: Environment): string[];
  /** The settings, defaults included, for a person. */
  describe(settings: Settings): string;
  /** The backends of those who need one, as far as the file says; undefined for who gets the default one. */
  named(config: Config): Array<Backend | undefined>;
  /** Sentences for a person about settings that do nothing. */
  inert(config: Config): string[];
}

/** What would keep settings from running in this environment. */
export function preflight<Settings extends { notify?: NotifyEntry[] | undefined }>(
  kind: Pick<ConfigKind<never, Settings>, 'roles' | 'missing'>,
  settings: Settings,
  environment: Environment,
): string[] {
  const roles = Object.entries(kind.roles(settings));
  const backends = roles.map(([owner, { backend }]) => [owner, backend] as const);
  // Claude Code runs its commands itself, without one of our tools.
  const packages = roles.flatMap(([owner, { backend, tools }]) =>
    tools === undefined ? [] : [[owner, withCommands(tools.packages, backend)] as const],
  );
  return [
    ...preflightBackends(Object.fromEntries(backends), environment),
    ...preflightCommands(Object.fromEntries(packages), environment),
    ...unsetForServers(
      roles.flatMap(([, { tools }]) => tools?.mcpServers ?? []),
      environment,
    ),
    ...missingForNotify(settings.notify, environment),
    ...(kind.missing?.(settings, environment) ?? []),
  ];
}

/** Keys of backends that do nothing in a role that has no tools. */
export const keysOfTools = ['mcp_servers', 'cwd', 'enable_mcp_command_line'] as const;

export const inRoles = (roles: Record<string, Backend | undefined>): object =>
  Object.fromEntries(
    Object.entries(roles).flatMap(([role, backend]) =>
      keysOfTools.map((key) => [`${key} (of ${role})`, backend?.[key]]),
    ),
  );

/** @param backends those of all roles @param inert what has no effect where it stands, by the names that are told */
export function notice(backends: Array<Backend | undefined>, inert: object = {}): string[] {
  const named = Object.entries(inert).flatMap(([key, value]) => (value ? [key] : []));
  const isMoot = backends.some((each) => each?.command_line_execution_mode && !each.enable_mcp_command_line);
  const moot = isMoot ? ['command_line_execution_mode (without enable_mcp_command_line)'] : [];
  const names = [...named, ...moot];
  return names.length === 0 ? [] : [`Without effect in this version: ${names.join(', ')}`];
}

/** Checks research and plans, whose roles want single replies of a model, which Claude Code does not give. */
export function checkSingleReplies<T>(schema: z.ZodType<T>, content: object): Checked<T> {
  const checked = checkedBy(schema, content);
  const problems = placesOf(content, []).map((path) => ({ path, message: onlyInTeams }));
  if (problems.length === 0) return checked;
  return { ok: false, problems: [...(checked.ok ? [] : checked.problems), ...problems] };
}

const onlyInTeams =
  'claude_code is a backend of the agents of a team; here use one of openai, claude, gemini, chatcompletion, offline';

function placesOf(value: unknown, path: string[]): string[][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'type' && each === 'claude_code' ? [[...path, key]] : placesOf(each, [...path, key]),
  );
}
