import type { Environment } from '../../util/environment.ts';
import type { Backend, BackendType } from '../../protocol/settings.ts';

export const backendTypes = [
  'openai',
  'claude',
  'gemini',
  'chatcompletion',
  'claude_code',
  'offline',
] as const satisfies BackendType[];

interface Provider {
  baseUrl: string;
  baseUrlVariable: keyof Environment;
  keyVariable: keyof Environment;
}

interface DefaultModels {
  /** That of backends which name none. */
  strong: string;
  /** For many small calls. */
  cheap: string;
}

/**
 * The models of November 2026. The strong one is what its provider recommends for the everyday work of agents, at no more
 * than $2 a million tokens read and $10 written. It is not the provider's dearest, since the default team's three agents
 * answer and vote in a dozen calls, which the dearest makes two to five times as costly; and not the cheap one, which is
 * made for sorting and extracting. All have known prices (list-prices.ts). A compatible server of the user's own has
 * none, since only its owner knows its models.
 */
export const defaultModels: Partial<Record<Backend['type'], DefaultModels>> = {
  // https://developers.openai.com/api/docs/models
  openai: { strong: 'gpt-6.2-sol', cheap: 'gpt-6-luna' },
  // https://platform.claude.com/docs/en/about-claude/models/overview
  claude: { strong: 'claude-sonnet-5-5', cheap: 'claude-haiku-5-5' },
  // https://ai.google.dev/gemini-api/docs/deprecations: a preview may be shut down within weeks, so both are stable.
  gemini: { strong: 'gemini-3.8-flash', cheap: 'gemini-3.5-flash-lite' },
};

const openai: Provider = {
  baseUrl: 'https://api.openai.com/v1',
  baseUrlVariable: 'OPENAI_BASE_URL',
  keyVariable: 'OPENAI_API_KEY',
};

const anthropic: Provider = {
  baseUrl: 'https://api.anthropic.com',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  keyVariable: 'ANTHROPIC_API_KEY',
};

const providers: Record<Exclude<Backend['type'], 'offline'>, Provider> = {
  openai,
  chatcompletion: openai,
  gemini: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    baseUrlVariable: 'GEMINI_BASE_URL',
    keyVariable: 'GEMINI_API_KEY',
  },
  claude: anthropic,
  claude_code: anthropic,
};

type RemoteBackend = Backend & { type: keyof typeof providers };

/** Looks up what a backend's requests need: its `base_url` and `api_key_env` win over the variables of its type. */
export function routeOf(backend: RemoteBackend, environment: Environment) {
  const provider = providers[backend.type];
  const keyVariable = backend.api_key_env ?? provider.keyVariable;
  return {
    baseUrl: backend.base_url ?? environment[provider.baseUrlVariable] ?? provider.baseUrl,
    baseUrlVariable: provider.baseUrlVariable,
    model: modelOf(backend),
    keyVariable,
    key: environment[keyVariable],
  };
}

/** Whether a backend's requests leave the process. */
export const isRemote = (backend: Backend): backend is RemoteBackend => backend.type !== 'offline';

/** The model of a backend, or the default one of its type. Undefined if there is none. */
export const modelOf = ({ type, model }: Backend): string | undefined =>
  model ?? defaultModels[type === 'claude_code' ? 'claude' : type]?.strong;

/** Keys of servers that mostly ask for none: the variable is read, and may be unset. */
const optionalKeys = ['OLLAMA_API_KEY', 'LM_API_TOKEN', 'REPRISE_MODEL_KEY'];

/**
 * The environment variable whose key a backend lacks; undefined if it can run. A compatible server of the user's own
 * needs no key, unless the configuration names a variable for it.
 */
export function missingKey(backend: Backend, environment: Environment): string | undefined {
  if (!isRemote(backend)) return undefined;
  const { key, keyVariable } = routeOf(backend, environment);
  const named = backend.api_key_env;
  const isOptional = named === undefined || optionalKeys.includes(named);
  const needsNone = backend.type === 'chatcompletion' && backend.base_url !== undefined && isOptional;
  return key === undefined && !needsNone ? keyVariable : undefined;
}
