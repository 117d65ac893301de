import { effortProblem } from './model-capabilities.ts';
import { isRemote, missingKey, modelOf, routeOf } from './providers.ts';
import { withCommands } from '../tools/commands.ts';
import type { Environment } from '../../util/environment.ts';
import { backendOf } from './model-name.ts';
import { withVariables } from '../variables.ts';
import type { Backend } from '../../protocol/settings.ts';

/**
 * The backend of agents that name none: that of `REPRISE_MODEL`, else the first provider whose key is set, or the offline
 * model if there is no key.
 *
 * @throws `ModelNameError` if `REPRISE_MODEL` names no model
 */
export function defaultBackend(environment: Environment): Backend {
  const { REPRISE_MODEL: named } = environment;
  if (named !== undefined) return backendOf(named, environment, 'REPRISE_MODEL: ');
  if (environment['OPENAI_API_KEY'] !== undefined) return { type: 'openai' };
  if (environment['ANTHROPIC_API_KEY'] !== undefined) return { type: 'claude' };
  if (environment['GEMINI_API_KEY'] !== undefined) return { type: 'gemini' };
  return { type: 'offline' };
}

/** A backend with its model filled in. Its MCP servers are left out, since they have become tools of its agent. */
export function completeBackend(backend: Backend): Backend {
  const model = modelOf(backend);
  return { ...backend, ...(model !== undefined && { model }), mcp_servers: undefined };
}

/** The packages of an agent's tools, with those that its backend brings along: for its files, and for commands. */
export function packagesOf(packages: string[], backend: Backend): string[] {
  // Claude Code brings its own.
  if (backend.type === 'claude_code') return packages;
  const all = withCommands(packages, backend);
  return backend.cwd === undefined ? all : [...new Set([...all, 'builtin.workspace'])];
}

/** What would keep backends from answering in this environment. @param backends by the words that name their owner in a problem */
export const preflightBackends = (backends: Record<string, Backend>, environment: Environment): string[] => [
  ...missingKeys(backends, environment),
  ...Object.entries(backends).flatMap(([owner, backend]) => {
    const { type, reasoning_effort: effort } = backend;
    const problem = effort && effortProblem(type, modelOf(backend) ?? '', effort);
    const unset = withVariables(backend.headers ?? {}, environment).missing;
    const { baseUrl, baseUrlVariable } = isRemote(backend) ? routeOf(backend, environment) : {};
    const lacksModel = backend.type === 'chatcompletion' && backend.model === undefined;
    return [
      ...unset.map(
        ({ name, variable }) => `${owner}: headers.${name} of its backend needs ${variable}, which is not set`,
      ),
      ...(problem ? [`${owner}: ${problem}`] : []),
      ...(lacksModel ? [`${owner}: a chatcompletion backend needs a model`] : []),
      // That of a configuration is checked where it stands.
      ...(baseUrl === undefined || /^https?:/.test(URL.parse(baseUrl)?.protocol ?? '')
        ? []
        : [`${owner}: ${baseUrlVariable} is no address with http:// or https://`]),
    ];
  }),
];

/** Each once, with all whose backends need it. */
function missingKeys(backends: Record<string, Backend>, environment: Environment): string[] {
  const lacking = Object.entries(backends).flatMap(([owner, backend]) => {
    const key = missingKey(backend, environment);
    return key === undefined ? [] : [{ key, owner, type: backend.type }];
  });
  return [...Map.groupBy(lacking, ({ key }) => key)].map(([key, those]) => {
    const [only] = those;
    const need = those.length === 1 ? `its backend "${only?.type}" needs` : 'each of their backends needs';
    return `${those.map(({ owner }) => owner).join(', ')}: ${need} ${key}, which is not set`;
  });
}

/** A backend in words, such as `openai gpt-5`. */
export const describeBackend = ({ type, model }: Backend): string => (model === undefined ? type : `${type} ${model}`);
