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

/** What a model could have, as routers tell it, is not meant: it says nothing of the machine that will answer. */
type Read = (entry: Entry) => unknown[];

/** vLLM and llama.cpp. */
const first: Read = ({ max_model_len: most, meta }) => [most, meta?.n_ctx];

/** Ollama, which knows it of models in use, and LM Studio. */
const others: Record<string, Read> = {
  '/api/ps': ({ context_length: loaded }) => [loaded],
  '/api/v0/models': ({ loaded_context_length: loaded }) => [loaded],
};

/** A server that is not there, or does not say it, may load a model only when it is called. */
const mostTimes = 3;

/** llama.cpp lists its model under both keys. */
const entriesOf = (list: List): Entry[] =>
  [list?.data, list?.models].find((each): each is Entry[] => Array.isArray(each)) ?? [];

function contextIn(entries: Entry[], model: string, read: Read): number | undefined {
  // A server of one model takes any name for it, and Ollama fills in a tag.
  const names = [model, `${model}:latest`];
  const meant = entries.filter(
    ({ id, model: own }) => entries.length === 1 || names.some((name) => [id, own].includes(name)),
  );
  return meant.flatMap(read).find((each): each is number => Number.isSafeInteger(each) && Number(each) > 0);
}

interface Asked {
  tokens: number | undefined;
  left: number;
}

/** In tokens, as a server says that it has loaded the model; remembered as long as this process lives. */
export function servedContexts(environment: Environment) {
  const known = new Map<string, Promise<Asked>>();

  return async function contextOf(backend: Backend): Promise<number | undefined> {
    if (backend.type !== 'openai' && backend.type !== 'chatcompletion') return undefined;
    const { baseUrl, key, model = '' } = routeOf({ ...backend, type: backend.type }, environment);
    if (baseUrl === routeOf({ type: 'openai' }, {}).baseUrl) return undefined;
    const id = `${baseUrl} ${model}`;
    const { tokens, left } = (await known.get(id)) ?? { tokens: undefined, left: mostTimes };
    if (tokens !== undefined || left === 0) return tokens;
    const headers = withVariables(backend.headers ?? {}, environment).values;
    const asked = ask(baseUrl, model, key === undefined ? headers : { authorization: `Bearer ${key}`, ...headers });
    known.set(
      id,
      asked.then((said) => ({ ...said, left: Math.min(said.left, left - 1) })),
    );
    return (await asked).tokens;
  };
}

async function ask(baseUrl: string, model: string, headers: Record<string, string>): Promise<Asked> {
  const list = async (url: string): Promise<Entry[]> => {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(patience) });
    if (!response.ok || response.body === null) return [];
    return entriesOf(JSON.parse((await beginningOf(response.body, longestList)).toString()) as List);
  };
  try {
    const listed = await list(`${baseUrl}/models`);
    const tokens = contextIn(listed, model, first);
    const [, root] = /^(http:\/\/[^/]+)\/v1$/.exec(baseUrl) ?? [];
    if (tokens !== undefined || listed.length === 0 || root === undefined) return { tokens, left: 0 };
    for (const [path, read] of Object.entries(others)) {
      const found = contextIn(await list(`${root}${path}`).catch(() => []), model, read);
      if (found !== undefined) return { tokens: found, left: 0 };
    }
    return { tokens: undefined, left: mostTimes };
  } catch {
    // The call itself will say what is wrong with the server, which may start or get ready meanwhile.
    return { tokens: undefined, left: mostTimes };
  }
}
