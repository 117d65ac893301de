import { z } from 'zod';
import { pricesFor } from '../../../config/models/list-prices.ts';
import { defaultModels, routeOf } from '../../../config/models/providers.ts';
import type { TokenUsage } from '../../../protocol/message.ts';
import { webSearchServices, type ModelSearch } from '../../../protocol/search.ts';
import type { Environment } from '../../../util/environment.ts';
import { costOf } from '../../../workflows/agent/budget.ts';
import { ask, paidFailure, resultsIn, searchFailed, type SearchFindings, type Service } from './provider.ts';

/**
 * What a provider takes for each search, in US dollars; the tokens that its model reads and writes come besides. These are
 * the list prices of autumn 2026 (https://developers.openai.com/api/docs/pricing,
 * https://platform.claude.com/docs/en/about-claude/pricing, https://ai.google.dev/gemini-api/docs/pricing), without what
 * is free each month.
 */
const fees: Record<ModelSearch, number> = { openai: 0.01, claude: 0.01, gemini: 0.014 };

/** The most tokens of a reply, in which each page has two sentences. */
export const maxTokens = 4000;
export const maxSearches = 3;

/** A provider's model that is asked to search, by the key and at the address that the environment has for its models. */
export interface AskedModel {
  service: Service;
  model: string;
  baseUrl: string;
  key: string;
  /** Sends a request, and parses its answer. @throws what `ask` throws, and for an answer of another shape */
  post: <T>(
    request: { url: string; headers: Record<string, string>; body: object },
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ) => Promise<T>;
  usageOf: (tokens: TokenUsage, searches: number) => TokenUsage;
}

/** The cheap model searches, since all it has to do is look and quote. */
export function modelSearch(type: ModelSearch, environment: Environment): AskedModel {
  const backend = { type, model: defaultModels[type]?.cheap };
  const { baseUrl, key = '', model = '' } = routeOf(backend, environment);
  const { address, needs } = webSearchServices[type];
  const service: Service = {
    provider: type,
    addressVariable: address,
    hints: {
      400: `it does not take this search by ${model}`,
      401: `check ${needs}`,
      403: `check ${needs}, and whether its owner allows web search`,
      404: `check ${address}: it must have web search, and the model ${model}`,
      429: 'too many requests at once, or no credit is left',
    },
  };
  const price = pricesFor([backend], {}, environment)[model];
  return {
    service,
    model,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    key,
    async post({ url, headers: own, body }, schema, signal) {
      const headers = { 'content-type': 'application/json', ...own };
      const request = { url, method: 'POST', headers, body: JSON.stringify(body) };
      // The model looks several times, and reads what it finds.
      const { success, data } = schema.safeParse(await ask(service, request, signal, 90_000));
      // The same failure as that of services that give no results.
      return success ? data : (resultsIn(undefined, service) as never);
    },
    usageOf: (tokens, searches) => ({ ...tokens, costUsd: costOf(tokens, price) + searches * fees[type] }),
  };
}

/** A count of tokens or searches. One that is not there, or cannot be true, counts as none. */
export const count = z.int().min(0).catch(0);

export const those = <T>(items: unknown[], schema: z.ZodType<T>): T[] =>
  items.flatMap((item) => {
    const { success, data } = schema.safeParse(item);
    return success ? [data] : [];
  });

export const promptFor = (query: string, wanted: number): string =>
  `Search the web for: ${query.toWellFormed()}\n\nThen name up to ${wanted} of the pages that fit best, the best first, each in ` +
  'a line of its own: what it says on this in one or two sentences, with its citation. Write nothing else.';

/** Pages by their addresses, in the order in which they come, each with all that was said of it. */
export class Pages {
  readonly #said = new Map<string, { title: string; texts: Set<string> }>();

  add(url: string, title = '', text = ''): void {
    const page = this.#said.get(url) ?? { title: '', texts: new Set() };
    page.title ||= title;
    if (text.trim() !== '') page.texts.add(text.trim());
    this.#said.set(url, page);
  }

  /** @param searches how many there were. Without any the lack of pages does not mean that there is nothing to find */
  findings(service: Service, usage: TokenUsage, searches: number): SearchFindings {
    if (searches === 0 && this.#said.size === 0)
      throw paidFailure(searchFailed(`${service.provider} answered without a search`), usage);
    const results = [...this.#said].map(([url, { title, texts }]) => ({
      url,
      title: title || URL.parse(url)?.hostname,
      content: [...texts].join(' '),
    }));
    return { found: resultsIn({ results }, service), usage };
  }
}
