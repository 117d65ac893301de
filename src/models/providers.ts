import type { Backend } from '../config/backend.ts';
import type { Environment } from '../config/environment.ts';

/** Where a backend type's requests go, and with what. */
interface Provider {
  baseUrl: string;
  baseUrlVariable: keyof Environment;
  keyVariable: keyof Environment;
  /** The model where a configuration names none. One with a known price. */
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
  // Any compatible server: what it serves under which names only its owner knows.
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

/** A backend with everything looked up that a request needs. */
export interface Route {
  baseUrl: string;
  model: string | undefined;
  keyVariable: string;
  key: string | undefined;
}

/** Resolves a backend against the environment: `base_url` and `api_key_env` win over the type's own variables. */
export function routeOf(backend: Backend & { type: keyof typeof providers }, environment: Environment): Route {
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
export function isRemote(backend: Backend): backend is Backend & { type: keyof typeof providers } {
  return backend.type !== 'offline';
}

/** The model that a backend without `model` gets; undefined where only its owner can know. */
export function defaultModel(type: Backend['type']): string | undefined {
  return type === 'offline' ? undefined : providers[type].model;
}

/**
 * The environment variable whose key a backend lacks; undefined when it can run.
 * A compatible server of one's own may need none, unless the configuration names a variable for it.
 */
export function missingKey(backend: Backend, environment: Environment): string | undefined {
  if (!isRemote(backend)) return undefined;
  const { key, keyVariable } = routeOf(backend, environment);
  const needsNone = backend.type === 'chatcompletion' && backend.base_url !== undefined && !backend.api_key_env;
  return key === undefined && !needsNone ? keyVariable : undefined;
}
