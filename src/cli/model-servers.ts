import type { Environment } from '../util/environment.ts';
import { azureKey, backendOf, isThisMachine, modelServers, type ModelServer } from '../config/models/model-name.ts';
import { isRemote, routeOf } from '../config/models/providers.ts';
import { didYouMean, nearest } from '../config/problems.ts';
import { withVariables } from '../config/variables.ts';
import { Interruption, usageError } from './exit.ts';
import { readLine } from './questions/read-line.ts';
import type { Shell } from './shell.ts';
import type { Backend } from '../protocol/settings.ts';

/**
 * How long to wait for a server that may not be there, and for one that a person has named, in milliseconds. Where none is,
 * the connection is refused at once; only a busy machine, or a name that leads nowhere, takes longer.
 */
const glance = 3_000;
const patience = 5_000;

type Listed = { id: string; owned_by?: unknown };

/** @throws `TypeError` where nothing answers, `DOMException` where nothing has come in time */
async function read(url: string, headers: Record<string, string>, wait: number): Promise<unknown> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(wait) });
  const body: unknown = await response.json().catch(() => undefined);
  return response.ok ? body : undefined;
}

/** Undefined if the server does not say. @throws as `read` does */
async function listedAt(url: string, headers: Record<string, string>, wait: number): Promise<Listed[] | undefined> {
  const { data } = ((await read(url, headers, wait)) ?? {}) as { data?: unknown };
  if (!Array.isArray(data)) return undefined;
  return data.filter((each: Partial<Listed> | null): each is Listed => typeof each?.id === 'string');
}

const bearer = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

/** Models that embed, rank, hear or speak, by the names they have with Ollama and LM Studio. */
const notForChat = /embed|rerank|minilm|\bbge-|whisper|\btts\b/i;

/** Without those that are not for chat and those that nobody could type. */
const namesOf = (listed: Listed[]): string[] =>
  listed.map(({ id }) => id).filter((id) => /^[^\s\p{Cc}]+$/u.test(id) && !notForChat.test(id));

/** With models, the newest first where the server sorts them so. */
type FoundServer = { server: ModelServer; models: [string, ...string[]] };

async function findServers(environment: Environment): Promise<FoundServer[]> {
  const looked = modelServers(environment).map(async (server): Promise<FoundServer[]> => {
    const headers = bearer(environment[server.keyVariable]);
    const [first, ...others] = namesOf((await listedAt(`${server.baseUrl}/models`, headers, glance)) ?? []);
    return first === undefined ? [] : [{ server, models: [first, ...others] }];
  });
  // Whatever keeps a server from answering, there is none to offer.
  return (await Promise.allSettled(looked)).flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

/** Offers Ollama and LM Studio in place of the offline model, or says how to use them where nobody can be asked. */
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
 * Checks that a server has the model of a backend, before a run is started that could only fail.
 *
 * @param from where the person has named it, such as `--model ollama/qwen3`
 * @param mustAnswer whether the server must be there now: a run waits for it, if need be for hours
 */
export async function checkModel(
  from: string,
  backend: Backend,
  environment: Environment,
  mustAnswer: boolean,
): Promise<void> {
  if (!isRemote(backend) || backend.type === 'claude_code') return;
  const { baseUrl, key, keyVariable, model = '' } = routeOf(backend, environment);
  const server = modelServers(environment).find((each) => each.keyVariable === keyVariable);
  const isClaude = backend.type === 'claude';
  const url = `${baseUrl}${isClaude ? '/v1' : ''}/models`;
  const headers = {
    ...bearer(key),
    ...(isClaude && { 'anthropic-version': '2023-06-01' }),
    ...withVariables(backend.headers ?? {}, environment).values,
  };
  let listed: Listed[] | undefined;
  try {
    listed = await listedAt(isClaude ? `${url}?limit=1000` : url, headers, patience);
    if (listed === undefined || isListed(model, listed, keyVariable)) return;
    // A list may have but the first models of many, or leave out other names for the same one.
    const one = (await read(`${url}/${encodeURIComponent(model)}`, headers, patience)) as Partial<Listed> | undefined;
    if (typeof one?.id === 'string') return;
  } catch (error) {
    // Where it is busy, a call has more patience.
    if (!mustAnswer || !(error instanceof TypeError)) return;
    const { code, message } = (error.cause ?? error) as { code?: string; message: string };
    const hint = server === undefined ? '' : `. ${startIt[server.prefix]}`;
    throw usageError(`${from}: nothing answers at ${baseUrl} (${code ?? message})${hint}`);
  }
  const models = nearest(model, namesOf(listed));
  const who = server === undefined ? baseUrl : `${server.label} at ${baseUrl}`;
  const has = models.length === 0 ? 'it has none yet' : `it has: ${shortList(models)}`;
  const fetchIt = server?.prefix === 'ollama' ? `.\nFetch it with: ollama pull ${model}` : '';
  throw usageError(`${from}: ${who} has no model "${model}";${didYouMean(model, models)} ${has}${fetchIt}`);
}

/** Whether a list has a model, or comes from a server whose list says nothing of the names that it takes. */
function isListed(model: string, listed: Listed[], keyVariable: string): boolean {
  // Azure is asked for deployments and lists models; Ollama's cloud need not be listed here; llama.cpp takes any name.
  if (keyVariable === azureKey || (keyVariable === 'OLLAMA_API_KEY' && model.endsWith('cloud'))) return true;
  return listed.some(
    ({ id, owned_by: owner }) =>
      owner === 'llamacpp' ||
      id.includes('*') ||
      sameModel(id.replace(/^models\//, ''), model) ||
      // OpenRouter's variants, as in `z-ai/glm-5:nitro`.
      (keyVariable !== 'OLLAMA_API_KEY' && model.startsWith(`${id}:`)),
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
