import { z } from 'zod';
import { count, maxSearches, maxTokens, Pages, promptFor, those, type AskedModel } from './model-search.ts';
import { paidFailure, searchFailed, searchRefused, type Search } from './provider.ts';

const citation = z.object({
  type: z.literal('url_citation'),
  url: z.string(),
  title: z.string().nullish(),
  start_index: z.number(),
});
const text = z.object({ text: z.string(), annotations: z.array(z.unknown()).catch([]) });
const message = z.object({ type: z.literal('message'), content: z.array(z.unknown()) });
const call = z.object({
  type: z.literal('web_search_call'),
  status: z.string().nullish(),
  action: z.object({ type: z.string(), sources: z.array(z.unknown()).nullish() }),
});
const source = z.object({ url: z.string() });

const cached = z.object({ cached_tokens: count });
const tokens = z.object({ input_tokens: count, output_tokens: count, input_tokens_details: cached.nullish() });
const billed = z.object({ web_search: z.object({ num_requests: z.int().min(0) }) });

const answerSchema = z.object({
  status: z.string().nullish(),
  error: z.object({ code: z.string() }).nullish(),
  output: z.array(z.unknown()),
  usage: tokens.nullish(),
  tool_usage: billed.nullish().catch(null),
});

/** Faults that pass. */
const passing = ['server_error', 'rate_limit_exceeded'];

/**
 * Searches with OpenAI's `web_search`, which only its Responses API has
 * (https://developers.openai.com/api/docs/guides/tools-web-search).
 */
export function searchOpenai({ service, model, baseUrl, key, post, usageOf }: AskedModel): Search {
  return async (query, wanted, signal) => {
    const body = {
      model,
      input: promptFor(query, wanted),
      tools: [{ type: 'web_search', search_context_size: 'low' }],
      tool_choice: 'required',
      max_tool_calls: maxSearches,
      include: ['web_search_call.action.sources'],
      // Without any reasoning some models take no search.
      reasoning: { effort: 'low' },
      max_output_tokens: maxTokens,
      store: false,
    };
    const headers = { authorization: `Bearer ${key}` };
    const answer = await post({ url: `${baseUrl}/responses`, headers, body }, answerSchema, signal);
    const calls = those(answer.output, call);
    const searches =
      answer.tool_usage?.web_search.num_requests ?? calls.filter(({ action }) => action.type === 'search').length;
    const usage = usageOf(tokensIn(answer.usage), searches);
    if (answer.status === 'failed') {
      const { code = 'no reason' } = answer.error ?? {};
      const fail = passing.includes(code) ? searchFailed : searchRefused;
      throw paidFailure(fail(`openai's response has failed: ${code}`), usage);
    }
    const pages = new Pages();
    for (const { content } of those(answer.output, message)) {
      for (const part of those(content, text)) {
        for (const { url, title, start_index } of those(part.annotations, citation))
          pages.add(plainUrl(url), title ?? '', lineAt(part.text, start_index));
      }
    }
    for (const { action } of calls) for (const { url } of those(action.sources ?? [], source)) pages.add(plainUrl(url));
    const made = calls.filter(({ status }) => status !== 'failed');
    return pages.findings(service, usage, made.length);
  };
}

const tokensIn = (usage: z.output<typeof answerSchema>['usage']) => ({
  inputTokens: usage?.input_tokens ?? 0,
  cachedInputTokens: usage?.input_tokens_details?.cached_tokens ?? 0,
  outputTokens: usage?.output_tokens ?? 0,
});

const plainUrl = (url: string): string =>
  url.replace(/([?&])utm_source=openai(&|$)/, (_, before, after) => (after === '&' ? before : ''));

/** The line of a reply that has a citation, without its mark and its links. @param at in characters of Unicode */
function lineAt(reply: string, at: number): string {
  const before = Array.from(reply).slice(0, at).join('');
  const start = before.lastIndexOf('\n') + 1;
  const [line = ''] = reply.slice(start).split('\n');
  return line.replace(/\(?\[[^\]]*\]\(https?:[^)\s]*\)\)?/g, '').replace(/^\s*(?:[-*]|\d+[.)])\s+/, '');
}
