import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { parse } from 'yaml';
import type { Environment } from '../util/environment.ts';
import { kindOf } from '../config/modules.ts';
import { configsIn, configText } from '../config/read-config.ts';
import { variablesNamedIn } from '../config/variables.ts';
import { backendOf } from '../config/models/model-name.ts';
import { backendTypes, isRemote, routeOf } from '../config/models/providers.ts';
import { searchKeys } from '../config/search-services.ts';
import { readAllow, type Allow } from './allow.ts';
import type { Backend } from '../protocol/settings.ts';
import { isIn } from '../util/folders.ts';

/** What a worker lets an input do that nobody whom it trusts has signed. */
export interface Policy {
  allow: Allow;
  configFolder: string;
  /** `REPRISE_HOME`, whose files are nobody's to name. */
  home: string;
  github: string;
  /** Whether a backend sends its key where the worker itself would send that key. */
  isOwnAddress: (backend: Partial<Backend>) => boolean;
  /** Whether a variable is one that configurations may name. */
  isKnownVariable: (name: string) => boolean;
}

/** By which whatever reaches anywhere is refused. */
export const strictest: Policy = {
  allow: readAllow([]),
  configFolder: sep,
  home: sep,
  github: '',
  isOwnAddress: () => false,
  isKnownVariable: () => false,
};

/** The worker's own files are read only where nothing else says that a key or a variable is known. */
export const policyOf = (given: Pick<Policy, 'allow' | 'configFolder' | 'home'>, environment: Environment): Policy => ({
  ...given,
  github: environment['GITHUB_API_URL'] ?? 'https://api.github.com',
  isOwnAddress: (backend) => isAtOwnAddress(backend, environment, given.configFolder),
  isKnownVariable: (name) =>
    knownKeys.includes(name) || textsIn(given.configFolder).flatMap(variablesNamedIn).includes(name),
});

/** Variables with keys and tokens that a worker has for models, searches and GitHub. */
const knownKeys = (
  'OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY OPENROUTER_API_KEY AZURE_OPENAI_API_KEY OLLAMA_API_KEY LM_API_TOKEN ' +
  'REPRISE_MODEL_KEY TRANSCRIPTION_API_KEY GITHUB_TOKEN'
)
  .split(' ')
  .concat(searchKeys);

/** Names of models at servers whose addresses a worker knows by itself, with the variable that must say so. */
const knownServers: Array<[name: string, variable?: string]> = [
  ['openrouter/auto'],
  ['azure/any', 'AZURE_OPENAI_ENDPOINT'],
  ['ollama/any', 'OLLAMA_HOST'],
  ['lmstudio/any', 'LMSTUDIO_BASE_URL'],
];

/**
 * To the provider whose key it is, or as a configuration of the worker says: nothing of that was chosen by an input.
 */
function isAtOwnAddress(backend: Partial<Backend>, environment: Environment, folder: string): boolean {
  const wanted = routeIn(backend, environment);
  if (wanted === undefined) return false;
  const isSame = (own: Partial<Backend>): boolean => routeIn(own, environment) === wanted;
  return (
    backendTypes.some((type) => type !== 'offline' && isSame({ type })) ||
    known(environment).some(isSame) ||
    textsIn(folder).flatMap(backendsNamedIn).some(isSame)
  );
}

/** The configurations in a folder. Files that cannot be read name nothing. */
const textsIn = (folder: string): string[] =>
  configsIn(folder).flatMap((file) => {
    try {
      return [configText(join(folder, file))];
    } catch {
      return [];
    }
  });

function backendsNamedIn(text: string): Backend[] {
  // A lock file beside the configurations takes two seconds to parse.
  if (!/api_key_env|base_url/.test(text)) return [];
  try {
    return backendsIn(parse(text), '');
  } catch {
    return [];
  }
}

/** @param type that of a mapping which has none, as a module's */
function backendsIn(value: unknown, type: string): Backend[] {
  if (typeof value !== 'object' || value === null) return [];
  const { api_key_env, base_url, module } = value as Record<string, unknown>;
  const ownType = (value as Record<string, unknown>)['type'] ?? type;
  const isBackend = typeof ownType === 'string' && (api_key_env !== undefined || base_url !== undefined);
  const below = (typeof module === 'string' && kindOf(module)?.type) || '';
  return [
    ...(isBackend ? [{ ...value, type: ownType } as Backend] : []),
    ...Object.values(value).flatMap((part) => backendsIn(part, below)),
  ];
}

function known(environment: Environment): Backend[] {
  const { REPRISE_MODEL: named } = environment;
  const servers = knownServers.filter(([, variable]) => variable === undefined || environment[variable] !== undefined);
  return [...servers.map(([name]) => name), ...(named === undefined ? [] : [named])].flatMap((name) => {
    try {
      return [backendOf(name, environment)];
    } catch {
      // A variable that holds no address makes nothing known.
      return [];
    }
  });
}

/** The address of a backend and its key's variable; undefined where there are none. */
function routeIn(backend: Partial<Backend>, environment: Environment): string | undefined {
  const { api_key_env: key, base_url: url, type } = backend;
  const isText = [key, url].every((each) => each == null || typeof each === 'string');
  const isKnown = type !== undefined && backendTypes.includes(type);
  if (!isText || !isKnown || !isRemote({ type })) return undefined;
  const { baseUrl, keyVariable } = routeOf(backend as Parameters<typeof routeOf>[0], environment);
  const address = URL.parse(baseUrl)?.href.replace(/\/+$/, '');
  return address === undefined ? undefined : `${keyVariable} ${address}`;
}

/** An address that is nothing but scheme, host, port, path and query. */
export function plainUrl(value: unknown): URL | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPlain ? url : undefined;
}

/**
 * Whether the worker's owner has allowed inputs to name a file or a folder. Links on the way are followed. What the home
 * folder holds is never allowed, nor is a folder that holds the home folder, nor a path that goes up behind a name: where
 * that is a link, programs do not agree on where it leads.
 *
 * @param base the folder from which a relative path counts
 */
export function allowsPath({ allow, home }: Policy, path: string, base: string): boolean {
  if (goesUpBehindName(path)) return false;
  const real = realPath(resolve(base, path));
  const own = realPath(home);
  if (real === undefined || own === undefined || isIn(own, real) || isIn(real, own)) return false;
  return allow.files.some((folder) => {
    const above = realPath(folder);
    return above !== undefined && isIn(above, real);
  });
}

function goesUpBehindName(path: string): boolean {
  const steps = path.split(/[/\\]+/);
  const named = steps.findIndex((step) => !['', '.', '..'].includes(step));
  return named !== -1 && steps.includes('..', named);
}

/** The path behind all links, as far as it exists; undefined where nobody can tell, as with links in a circle. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const above = dirname(path);
    const real = isMissing && above !== path ? realPath(above) : undefined;
    return real === undefined ? undefined : join(real, basename(path));
  }
}
