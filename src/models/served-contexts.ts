import { routeOf } from '../config/models/providers.ts';
import { withVariables } from '../config/variables.ts';
import { beginningOf } from './stream-guard.ts';
import type { Backend } from '../protocol/settings.ts';
import type { Environment } from '../util/environment.ts';

/** In milliseconds. A server that is loading a model may not answer at all. */
const patience = 3_000;

/** In bytes. Routers list hundreds of models. */
const longestList = 8_000_000;

type List = { data?: unknown; models?: unknown } | null;
type Entry = Record<string, unknown> & { meta?: { n_ctx?: unknown } | null };

/** A server that is not there, or does not say it, may get ready meanwhile. */
const mostTimes = 3;

/** In milliseconds, for a model that is loaded. It has to be before it is called anyway. */
const loading = 60_000;

/** llama.cpp lists its model under both keys. */
const entriesOf = (list: List): Entry[] =>
  [list?.data, list?.models].find((each): each is Entry[] => Array.isArray(each)) ?? [];

/** Ollama fills in a tag. */
const isNamed = ({ id, model: own }: Entry, model: string): boolean =>
  [model, `${model}:latest`].some((name) => name === id || name === own);

const contextIn = (values: unknown[]): number | undefined =>
  values.find((each): each is number => Number.isSafeInteger(each) && Number(each) > 0);

interface Asked {
  tokens: number | undefined;
  /** How often it may still be asked; absent for a server that says it once the model is in use. */
  left?: number;
}

/** In tokens, as a server says that it has loaded the model; remembered as long as this process lives. */
export function servedContexts(environment: Environment) {
  const known = new Map<string, Promise<Asked>>();

  return async function contextOf(backend: Backend): Promise<number | undefined> {
    if (backend.type !== 'openai' && backend.type !== 'chatcompletion') return undefined;
    const { baseUrl, key, model = '' } = routeOf({ ...backend, type: backend.type }, environment);
    if (baseUrl === routeOf({ type: 'openai' }, {}).baseUrl) return undefined;
    const id = `${baseUrl} ${model}`;
    const { tokens, left = mostTimes } = (await known.get(id)) ?? { tokens: undefined };
    if (tokens !== undefined || left === 0) return tokens;
    const headers = withVariables(backend.headers ?? {}, environment).values;
    const asked = ask(baseUrl, model, key === undefined ? headers : { authorization: `Bearer ${key}`, ...headers });
    known.set(
      id,
      asked.then((said) => ({ ...said, ...(said.left !== undefined && { left: Math.min(said.left, left - 1) }) })),
    );
    return (await asked).tokens;
  };
}

async function ask(baseUrl: string, model: string, headers: Record<string, string>): Promise<Asked> {
  const list = async (url: string): Promise<List> => {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(patience) });
    if (!response.ok || response.body === null) return null;
    return JSON.parse((await beginningOf(response.body, longestList)).toString()) as List;
  };
  try {
    const listed = entriesOf(await list(`${baseUrl}/models`));
    // What a model could have, as routers tell it, is not meant: it says nothing of the machine that will answer.
    const meant = listed.filter((entry) => listed.length === 1 || isNamed(entry, model));
    // vLLM and llama.cpp, which serve one model by any name.
    const tokens = contextIn(meant.flatMap(({ max_model_len: most, meta }) => [most, meta?.n_ctx]));
    const [, root] = /^(http:\/\/[^/]+)\/v1$/.exec(baseUrl) ?? [];
    if (tokens !== undefined || listed.length === 0 || root === undefined) return { tokens, left: 0 };
    const running = async (): Promise<Entry[] | undefined> => {
      const found = await list(`${root}/api/ps`).catch(() => null);
      return Array.isArray(found?.models) ? entriesOf(found).filter((entry) => isNamed(entry, model)) : undefined;
    };
    const inOllama = await running();
    if (inOllama !== undefined) {
      // It says so of models in use alone, and cuts off what is longer without a word, from the first call on.
      if (inOllama.length === 0) await load(root, model, headers);
      const used = inOllama.length === 0 ? await running() : inOllama;
      return { tokens: contextIn((used ?? []).map(({ context_length: loaded }) => loaded)) };
    }
    const inStudio = entriesOf(await list(`${root}/api/v0/models`).catch(() => null));
    const own = inStudio.filter((entry) => isNamed(entry, model));
    const loaded = contextIn(own.map(({ loaded_context_length: each }) => each));
    return { tokens: loaded, ...(own.length === 0 && { left: mostTimes }) };
  } catch {
    // The call itself will say what is wrong with the server, which may start or get ready meanwhile.
    return { tokens: undefined, left: mostTimes };
  }
}

/** Has Ollama load a model, as https://docs.ollama.com/api/generate says. If it fails, the call will say why. */
async function load(root: string, model: string, headers: Record<string, string>): Promise<void> {
  const request = { method: 'POST', headers, body: JSON.stringify({ model, stream: false }) };
  const response = await fetch(`${root}/api/generate`, { ...request, signal: AbortSignal.timeout(loading) });
  await response.body?.cancel();
}
