import { z } from 'zod';
import { count, maxTokens, Pages, promptFor, type AskedModel } from './model-search.ts';
import { paidFailure, searchRefused, type SearchHit, type Search } from './provider.ts';

const chunk = z.object({ web: z.object({ uri: z.string(), title: z.string().nullish() }).nullish() });
const support = z.object({
  segment: z.object({ text: z.string().nullish() }).nullish(),
  groundingChunkIndices: z.array(z.int()).nullish(),
});
const grounding = z.object({
  webSearchQueries: z.array(z.string()).nullish(),
  groundingChunks: z.array(chunk).nullish(),
  groundingSupports: z.array(support).nullish(),
});
const tokens = z.object({
  promptTokenCount: count,
  toolUsePromptTokenCount: count,
  cachedContentTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
});

const answerSchema = z.object({
  candidates: z.array(z.object({ groundingMetadata: grounding.nullish() })).nullish(),
  promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: tokens.nullish(),
});

/**
 * Searches with Gemini's grounding by Google Search (https://ai.google.dev/gemini-api/docs/google-search), which only its own
 * API has, and not the compatible one at which its models are asked otherwise.
 */
export function searchGemini({ service, model, baseUrl, key, post, usageOf }: AskedModel): Search {
  const native = baseUrl.replace(/\/openai$/, '');
  return async (query, wanted, signal) => {
    const body = {
      contents: [{ role: 'user', parts: [{ text: promptFor(query, wanted) }] }],
      tools: [{ google_search: {} }],
      generationConfig: { maxOutputTokens: maxTokens },
    };
    const headers = { 'x-goog-api-key': key };
    const url = `${native}/models/${encodeURIComponent(model)}:generateContent`;
    const { candidates, promptFeedback, usageMetadata } = await post({ url, headers, body }, answerSchema, signal);
    const { groundingChunks, groundingSupports, webSearchQueries } = candidates?.[0]?.groundingMetadata ?? {};
    const searches = webSearchQueries?.length ?? 0;
    const usage = usageOf(tokensIn(usageMetadata), searches);
    if (promptFeedback?.blockReason != null)
      throw paidFailure(searchRefused(`gemini refuses this query: ${promptFeedback.blockReason}`), usage);
    const chunks = groundingChunks ?? [];
    const pages = new Pages();
    const add = (index: number, text?: string): void => {
      const web = chunks[index]?.web;
      if (web) pages.add(web.uri, web.title ?? '', text);
    };
    for (const { groundingChunkIndices, segment } of groundingSupports ?? [])
      for (const index of groundingChunkIndices ?? []) add(index, segment?.text ?? '');
    for (const index of chunks.keys()) add(index);
    const { found } = pages.findings(service, usage, searches);
    const used = found.slice(0, wanted).map((page) => atItsAddress(page, native, signal));
    return { found: await Promise.all(used), usage };
  };
}

const tokensIn = (usage: z.output<typeof answerSchema>['usageMetadata']) => ({
  inputTokens: (usage?.promptTokenCount ?? 0) + (usage?.toolUsePromptTokenCount ?? 0),
  cachedInputTokens: usage?.cachedContentTokenCount ?? 0,
  outputTokens: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
});

/** Where Google keeps the addresses that stand for those of pages. */
const redirects = 'https://vertexaisearch.cloud.google.com';

/** As far as Google says it. The page itself is not asked: Google's address leads on to it for some weeks. */
async function atItsAddress(page: SearchHit, api: string, signal: AbortSignal): Promise<SearchHit> {
  const { origin, pathname } = new URL(page.url);
  const isGoogles =
    [redirects, URL.parse(api)?.origin].includes(origin) && pathname.includes('/grounding-api-redirect/');
  if (!isGoogles) return page;
  try {
    const timed = AbortSignal.any([signal, AbortSignal.timeout(5000)]);
    const { body, headers } = await fetch(page.url, { redirect: 'manual', signal: timed });
    await body?.cancel();
    const url = URL.parse(headers.get('location') ?? '');
    return url !== null && /^https?:$/.test(url.protocol) ? { ...page, url: url.href } : page;
  } catch {
    signal.throwIfAborted();
    return page;
  }
}
