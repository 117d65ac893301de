import { defaultModels } from './providers.ts';
import { redact } from '../../util/text/redact.ts';
import type { Environment } from '../../util/environment.ts';
import type { Backend } from '../../protocol/settings.ts';

/** A model was named in a way that names none. The message says how models are named. */
export class ModelNameError extends Error {
  override name = 'ModelNameError';
}

/** A server of models that people run themselves, and that says which models it has. */
export interface ModelServer {
  label: 'Ollama' | 'LM Studio';
  /** Of its models' names, as in `ollama/qwen3`. */
  prefix: 'ollama' | 'lmstudio';
  baseUrl: string;
  /** Mostly it asks for no key. */
  keyVariable: string;
}

/** The servers of this machine, at their own ports unless a variable names another address. */
export const modelServers = (environment: Environment): ModelServer[] => [
  {
    label: 'Ollama',
    prefix: 'ollama',
    baseUrl: ollamaUrl(environment['OLLAMA_HOST']),
    keyVariable: 'OLLAMA_API_KEY',
  },
  { label: 'LM Studio', prefix: 'lmstudio', baseUrl: lmStudioUrl(environment), keyVariable: 'LM_API_TOKEN' },
];

const lmStudioUrl = (environment: Environment): string =>
  environment['LMSTUDIO_BASE_URL'] ?? 'http://127.0.0.1:1234/v1';

/**
 * Reads `OLLAMA_HOST` as Ollama's own commands do (ollama/ollama, envconfig/config.go): scheme and port may be absent,
 * and an address on which a server listens everywhere is one at which it is reached here.
 */
function ollamaUrl(host = ''): string {
  const [, scheme, rest = ''] = /^(?:(https?):\/\/)?(.*)$/.exec(host.trim()) ?? [];
  const [place = '', ...path] = rest.split('/');
  const bracketed = /^[^[]*:.*:/.test(place) ? `[${place}]` : place;
  const [, name = '', port = scheme === undefined ? ':11434' : ''] = /^(.*?)(:\d+)?$/.exec(bracketed) ?? [];
  const reached = ['', '0.0.0.0', '[::]'].includes(name) ? '127.0.0.1' : name;
  return [`${scheme ?? 'http'}://${reached}${port}`, ...path.filter((part) => part !== ''), 'v1'].join('/');
}

/** The backends by what stands before the first slash of a model's name. */
const providers: Record<string, (model: string, environment: Environment) => Backend> = {
  openai: (model) => ({ type: 'openai', model }),
  anthropic: (model) => ({ type: 'claude', model }),
  gemini: (model) => ({ type: 'gemini', model }),
  openrouter: (model, environment) => ({
    type: 'chatcompletion',
    // Models are called vendor/model there, and the vendor of its own, such as openrouter/auto, is itself.
    model: model.includes('/') ? model : `openrouter/${model}`,
    base_url: baseUrl(environment['OPENROUTER_BASE_URL'] ?? 'https://openrouter.ai/api/v1', 'OPENROUTER_BASE_URL'),
    api_key_env: 'OPENROUTER_API_KEY',
  }),
  azure: (model, environment) => {
    const endpoint = environment['AZURE_OPENAI_ENDPOINT'];
    if (endpoint === undefined) {
      throw new ModelNameError(
        `"azure/${model}" needs AZURE_OPENAI_ENDPOINT, the address of your resource: https://NAME.openai.azure.com`,
      );
    }
    const base_url = baseUrl(`${endpoint.replace(/(\/openai\/v1)?\/*$/, '')}/openai/v1`, 'AZURE_OPENAI_ENDPOINT');
    return { type: 'openai', model, base_url, api_key_env: azureKey };
  },
  ollama: (model, environment) => ({
    type: 'chatcompletion',
    model,
    base_url: baseUrl(ollamaUrl(environment['OLLAMA_HOST']), 'OLLAMA_HOST'),
    api_key_env: 'OLLAMA_API_KEY',
  }),
  lmstudio: (model, environment) => ({
    type: 'chatcompletion',
    model,
    base_url: baseUrl(lmStudioUrl(environment), 'LMSTUDIO_BASE_URL'),
    api_key_env: 'LM_API_TOKEN',
  }),
};

/** The variable that Azure's own examples use. */
export const azureKey = 'AZURE_OPENAI_API_KEY';

/** Names that belong to one provider alone. Those of `gpt-oss` do not, since anybody may serve it. */
const bare: Array<[RegExp, string]> = [
  [/^(gpt-(?!oss)|chatgpt-|o[134](-|$))/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'gemini'],
];

/** How models are named. */
const forms: Array<[example: string, needs: string]> = [
  [`openai/${defaultModels.openai?.strong}`, 'OPENAI_API_KEY'],
  [`anthropic/${defaultModels.claude?.strong}`, 'ANTHROPIC_API_KEY'],
  [`gemini/${defaultModels.gemini?.strong}`, 'GEMINI_API_KEY'],
  ['openrouter/vendor/model', 'OPENROUTER_API_KEY'],
  ['azure/my-deployment', `AZURE_OPENAI_ENDPOINT and ${azureKey}`],
  ['ollama/qwen3:8b', 'Ollama, here or at OLLAMA_HOST'],
  ['lmstudio/qwen/qwen3-8b', 'LM Studio, here or at LMSTUDIO_BASE_URL'],
  ['http://127.0.0.1:8000/v1#name', 'any server that speaks Chat Completions, such as vLLM or llama.cpp'],
  ['offline', 'nothing; it is no language model, and quotes texts'],
];

const width = Math.max(...forms.map(([example]) => example.length));

const howToName = [
  'A model is named like one of these:',
  ...forms.map(([example, needs]) => `  ${example.padEnd(width)}  ${needs}`),
  'The names gpt-…, claude-… and gemini-… stand for themselves.',
].join('\n');

/**
 * The backend that a name stands for, as `--model` and `REPRISE_MODEL` take it (`forms`), or the bare name of a model of OpenAI,
 * Anthropic or Google. Nothing is asked of any server.
 *
 * @param source what the message of an error begins with, such as `REPRISE_MODEL: `
 * @throws `ModelNameError` for any other name, with the valid forms
 */
export function backendOf(name: string, environment: Environment, source = ''): Backend {
  try {
    return read(name, environment);
  } catch (error) {
    throw error instanceof ModelNameError ? new ModelNameError(`${source}${error.message}`) : error;
  }
}

function read(name: string, environment: Environment): Backend {
  const trimmed = name.trim();
  if (trimmed === 'offline') return { type: 'offline' };
  if (/[\s\p{Cc}]/u.test(trimmed)) throw unknown(trimmed);
  if (/^https?:\/\//i.test(trimmed)) return backendAt(trimmed, environment);
  const slash = trimmed.indexOf('/');
  const prefix = slash === -1 ? bare.find(([pattern]) => pattern.test(trimmed))?.[1] : trimmed.slice(0, slash);
  const model = trimmed.slice(slash + 1);
  const provider = Object.entries(providers).find(([each]) => each === prefix?.toLowerCase())?.[1];
  if (provider === undefined || model === '') throw unknown(trimmed);
  return provider(model, environment);
}

const unknown = (name: string): ModelNameError =>
  new ModelNameError(`"${redact(name, [])}" names no model.\n${howToName}`);

/** The hosts of Azure's resources (https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle). */
const azureHost = /\.(openai|services\.ai|cognitiveservices)\.azure\.(com|us|cn)$/;

/** The backend of a model at an address, as in `http://127.0.0.1:8000/v1#name`. */
function backendAt(text: string, environment: Environment): Backend {
  const [address = '', ...rest] = text.split('#');
  const model = rest.join('#');
  if (model === '')
    throw new ModelNameError(
      `"${redact(text, [])}" names no model: it stands after #, as in ${redact(address, [])}#name`,
    );
  const base_url = baseUrl(address, 'the address');
  const { hostname } = new URL(base_url);
  if (azureHost.test(hostname)) return { type: 'openai', model, base_url, api_key_env: azureKey };
  // OpenAI's key does not leave this machine for a server of somebody else's.
  const needsNone = isThisMachine(base_url) && environment[ownKey] === undefined;
  return { type: 'chatcompletion', model, base_url, ...(!needsNone && { api_key_env: ownKey }) };
}

/** The variable with the key of a server that is named by its address. */
const ownKey = 'REPRISE_MODEL_KEY';

/** Checks the address of a server. Without any path it gets `/v1`. @param source what problems call it, such as its variable */
function baseUrl(text: string, source: string): string {
  if (!URL.canParse(text)) throw new ModelNameError(`${source} is no valid address: ${redact(text, [])}`);
  const url = new URL(text);
  // A run's history keeps the address, so it is not repeated here either.
  if (url.username !== '' || url.password !== '')
    throw new ModelNameError(`${source} holds a name or a password; a key belongs into a variable (docs/providers.md)`);
  if (!/^https?:$/.test(url.protocol)) throw new ModelNameError(`${source} does not begin with http:// or https://`);
  if (url.search !== '')
    throw new ModelNameError(`${source} has a query, which is not passed on: ${redact(url.search, [])}`);
  if (url.pathname === '/') url.pathname = '/v1';
  return url.href.replace(/\/$/, '');
}

export function isThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
