import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { sumOfUsage } from '../../../store/store.ts';
import type { TokenUsage } from '../../../protocol/message.ts';
import { count, maxSearches, maxTokens, Pages, promptFor, those, type AskedModel } from './model-search.ts';
import { paidFailure, searchFailed, searchRefused, type Search } from './provider.ts';

const citation = z.object({
  type: z.literal('web_search_result_location'),
  url: z.string(),
  title: z.string().nullish(),
  cited_text: z.string().catch(''),
});
const text = z.object({ type: z.literal('text'), text: z.string(), citations: z.array(z.unknown()).nullish() });
const results = z.object({ type: z.literal('web_search_tool_result'), content: z.array(z.unknown()) });
const page = z.object({ type: z.literal('web_search_result'), url: z.string(), title: z.string().nullish() });
const fault = z.object({ type: z.literal('web_search_tool_result'), content: z.object({ error_code: z.string() }) });

const answerSchema = z.object({
  content: z.array(z.unknown()),
  stop_reason: z.string().nullish(),
  usage: z.object({
    input_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
    output_tokens: count,
    server_tool_use: z.object({ web_search_requests: count }).nullish(),
  }),
});

/** Faults of a search that pass. */
const passing = ['too_many_requests', 'unavailable'];

const maxPauses = 3;

/**
 * Searches with Anthropic's `web_search`
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool), in the version whose results every model
 * gets directly: the later ones filter them by programs, for which the model would have to be a larger one.
 */
export function searchClaude({ service, model, baseUrl, key, post, usageOf }: AskedModel): Search {
  return async (query, wanted, signal) => {
    const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    const said: unknown[] = [];
    const spent: TokenUsage[] = [];
    let searches = 0;
    for (let pauses = 0; ; pauses++) {
      const body = {
        model,
        max_tokens: maxTokens,
        messages: [
          { role: 'user', content: promptFor(query, wanted) },
          // What a paused turn has so far goes back as it came, its encrypted parts included.
          ...(said.length > 0 ? [{ role: 'assistant', content: said }] : []),
        ],
        tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: maxSearches }],
        thinking: { type: 'disabled' },
      };
      const request = { url: `${baseUrl}/v1/messages`, headers, body };
      const answer = await post(request, answerSchema, signal).catch((error: unknown) => {
        // What a turn has cost before it was paused is not free because it does not go on.
        throw error instanceof ApplicationFailure && spent.length > 0 ? paidFailure(error, sumOfUsage(spent)) : error;
      });
      const made = answer.usage.server_tool_use?.web_search_requests ?? 0;
      searches += made;
      spent.push(usageOf(tokensIn(answer.usage), made));
      said.push(...answer.content);
      if (answer.stop_reason === 'refusal')
        throw paidFailure(searchRefused('claude refuses this query'), sumOfUsage(spent));
      if (answer.stop_reason !== 'pause_turn' || pauses === maxPauses) break;
    }
    const usage = sumOfUsage(spent);
    const pages = new Pages();
    for (const block of those(said, text)) {
      for (const { url, title, cited_text } of those(block.citations ?? [], citation))
        pages.add(url, title ?? '', [block.text.trim(), cited_text].join(' '));
    }
    const lists = those(said, results);
    for (const { content } of lists) for (const { url, title } of those(content, page)) pages.add(url, title ?? '');
    const [wrong] = lists.length === 0 ? those(said, fault) : [];
    if (wrong === undefined) return pages.findings(service, usage, searches);
    const { error_code: code } = wrong.content;
    throw paidFailure((passing.includes(code) ? searchFailed : searchRefused)(`claude did not search: ${code}`), usage);
  };
}

const tokensIn = (usage: z.output<typeof answerSchema>['usage']) => ({
  inputTokens: usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
  cachedInputTokens: usage.cache_read_input_tokens,
  outputTokens: usage.output_tokens,
});
