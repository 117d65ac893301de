import type { Backend } from '../config/backend.ts';
import type { Environment } from '../config/environment.ts';

/** What a type of backend needs for its requests. */
interface Provider {
  baseUrl: string;
  baseUrlVariable: keyof Environment;
  keyVariable: keyof Environment;
  /** The model of backends that name none, one whose price is known. Undefined if only the server's owner can know. */
  model: string | undefined;
}

const openai: Provider = {
  baseUrl: 'https://api.openai.com/v1',
  baseUrlVariable: 'OPENAI_BASE_URL',
  keyVariable: 'OPENAI_API_KEY',
  model: 'gpt-5',
};

const providers: Record<Exclude<Backend['type'], 'offline'>, Provider> = {
  openai,
  // Any compatible server, whose models have whatever names its owner gave them.
  chatcompletion: { ...openai, model: undefined },
  gemini: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    baseUrlVariable: 'GEMINI_BASE_URL',
    keyVariable: 'GEMINI_API_KEY',
    model: 'gemini-3-pro-preview',
  },
  claude: {
    baseUrl: 'https://api.anthropic.com',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    keyVariable: 'ANTHROPIC_API_KEY',
    model: 'claude-sonnet-5-5',
  },
};

type RemoteBackend = Backend & { type: keyof typeof providers };

/** Looks up what a backend's requests need: its `base_url` and `api_key_env` win over the variables of its type. */
export function routeOf(backend: RemoteBackend, environment: Environment) {
  const provider = providers[backend.type];
  const keyVariable = backend.api_key_env ?? provider.keyVariable;
  return {
    baseUrl: backend.base_url ?? environment[provider.baseUrlVariable] ?? provider.baseUrl,
    model: backend.model ?? provider.model,
    keyVariable,
    key: environment[keyVariable],
  };
}

/** Whether a backend's requests leave the process. */
export const isRemote = (backend: Backend): backend is RemoteBackend => backend.type !== 'offline';

/** The model of a backend that names none. Undefined if there is no default. */
export const defaultModel = (type: Backend['type']): string | undefined =>
  type === 'offline' ? undefined : providers[type].model;

/**
 * The environment variable whose key a backend lacks; undefined if it can run. A compatible server of the user's own
 * needs no key, unless the configuration names a variable for it.
 */
export function missingKey(backend: Backend, environment: Environment): string | undefined {
  if (!isRemote(backend)) return undefined;
  const { key, keyVariable } = routeOf(backend, environment);
  const needsNone = backend.type === 'chatcompletion' && backend.base_url !== undefined && !backend.api_key_env;
  return key === undefined && !needsNone ? keyVariable : undefined;
}
