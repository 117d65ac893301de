import type { Environment } from '../util/environment.ts';
import { backendOf, isThisMachine, modelServers, type ModelServer } from '../config/models/model-name.ts';
import { didYouMean } from '../config/problems.ts';
import { Interruption, usageError } from './exit.ts';
import { readLine } from './questions/read-line.ts';
import type { Shell } from './shell.ts';
import type { Backend } from '../protocol/settings.ts';

/** How long to wait for a server that may not be there, and for one that a person has named, in milliseconds. */
const glance = 300;
const patience = 5_000;

/**
 * The models that an OpenAI-compatible server lists, without those that only embed and those with names that nobody could
 * type; undefined if it does not say.
 *
 * @throws `TypeError` where nothing answers, `DOMException` where nothing has come in time
 */
async function modelsAt(baseUrl: string, key: string | undefined, wait: number): Promise<string[] | undefined> {
  const response = await fetch(`${baseUrl}/models`, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(wait),
  });
  const body = (await response.json().catch(() => undefined)) as { data?: unknown } | undefined;
  if (!response.ok || !Array.isArray(body?.data)) return undefined;
  const ids = body.data.map((each: { id?: unknown } | null) => each?.id);
  return ids.filter((id) => typeof id === 'string').filter((id) => /^[^\s\p{Cc}]+$/u.test(id) && !/embed/i.test(id));
}

interface Found {
  server: ModelServer;
  /** At least one, the newest first where the server sorts them so. */
  models: [string, ...string[]];
}

async function findServers(environment: Environment): Promise<Found[]> {
  const looked = modelServers(environment).map(async (server): Promise<Found[]> => {
    const [first, ...others] = (await modelsAt(server.baseUrl, environment[server.keyVariable], glance)) ?? [];
    return first === undefined ? [] : [{ server, models: [first, ...others] }];
  });
  // Whatever keeps a server from answering, there is none to offer.
  return (await Promise.allSettled(looked)).flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

/**
 * Looks for Ollama and LM Studio, for a run that would otherwise have the offline model. Asks whether to use one where a
 * person can be asked; elsewhere says how to.
 *
 * @returns the backend that the person wants, if any
 */
export async function offerServer(shell: Shell, mayPrompt: boolean): Promise<Backend | undefined> {
  const { environment } = shell;
  for (const { server, models } of await findServers(environment)) {
    const { label, prefix, baseUrl } = server;
    const [model] = models;
    const where = isThisMachine(baseUrl) ? 'here' : `at ${new URL(baseUrl).host}`;
    const what = `${label} is running ${where} with ${shortList(models)}`;
    const name = `${prefix}/${model}`;
    if (!mayPrompt || !shell.canPrompt) {
      shell.say(`${what}; to use it: --model ${name}`);
      continue;
    }
    const entered = await readLine(shell, `${what}: use ${models.length === 1 ? 'it' : model}? [Y/n] `, {});
    if (entered.kind === 'interrupt') throw new Interruption();
    if (entered.kind !== 'line' || !/^(y(es)?)?$/i.test(entered.text.trim())) continue;
    shell.say(`Without this question: --model ${name}, or REPRISE_MODEL=${name}`);
    return backendOf(name, environment);
  }
  return undefined;
}

const shortList = (models: string[]): string => [...models.slice(0, 3), ...(models.length > 3 ? ['…'] : [])].join(', ');

/**
 * Checks that a server which a person has named answers, and that Ollama has the model: a run would try for hours.
 *
 * @param from where the person has named it, such as `--model ollama/qwen3`
 * @throws `CommandError`, status 2
 */
export async function checkServer(from: string, backend: Backend, environment: Environment): Promise<void> {
  const { base_url: baseUrl, api_key_env: variable = '', model = '' } = backend;
  if (baseUrl === undefined || variable === 'OPENROUTER_API_KEY') return;
  const server = modelServers(environment).find((each) => each.keyVariable === variable);
  let models: string[] | undefined;
  try {
    models = await modelsAt(baseUrl, environment[variable], patience);
  } catch (error) {
    // It may be busy; a call has more patience.
    if (!(error instanceof TypeError)) return;
    const { code, message } = (error.cause ?? error) as { code?: string; message: string };
    throw usageError(
      `${from}: nothing answers at ${baseUrl} (${code ?? message})${server ? `. ${startIt[server.prefix]}` : ''}`,
    );
  }
  // What runs in Ollama's cloud need not be listed here.
  if (server?.prefix !== 'ollama' || models === undefined || model.endsWith('cloud')) return;
  if (models.some((each) => sameModel(each, model))) return;
  const listed = models.length === 0 ? 'it has none yet' : `it has: ${models.join(', ')}`;
  throw usageError(
    `${from}: Ollama at ${baseUrl} has no model "${model}";${didYouMean(model, models)} ${listed}.\n` +
      `Fetch it with: ollama pull ${model}`,
  );
}

const startIt = {
  ollama: 'Is Ollama running? Start it with: ollama serve',
  lmstudio: 'Is the server of LM Studio running? Start it with: lms server start',
};

/** Ollama takes names in any case, and means the tag `latest` where none is named. */
function sameModel(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => (/:[^/]*$/.test(name) ? name : `${name}:latest`).toLowerCase());
  return a === b;
}
