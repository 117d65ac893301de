import type { ModelSearch } from '../../src/protocol/search.ts';

type Json = Record<string, unknown>;

interface Page {
  url: string;
  title: string;
  /** What the reply says of it; absent where it does not cite it. */
  text?: string;
}

/** What the provider's model finds, and what becomes of it. */
export interface SearchReply {
  pages?: Page[];
  /** How many searches are charged; 1 if absent. */
  searches?: number;
  /** A fault within an answer of status 200, by the provider's own word. */
  fault?: string;
  /** Whether the query is refused within an answer of status 200. */
  refused?: true;
  /** Whether OpenAI's searches have failed. */
  failed?: true;
  /** How often Anthropic pauses the turn first. */
  pauses?: number;
  /** Another body as it is, or a status in place of an answer. */
  raw?: string;
  status?: number;
  headers?: Record<string, string>;
}

/** What each request costs besides its searches. */
export const tokensOfSearch = { input: 12_000, cached: 2000, output: 300 };

/** The pages behind Gemini's addresses, and what Anthropic has said of turns that it paused. */
export interface Memory {
  pages: string[];
  paused: unknown[];
}

export const redirectPath = '/grounding-api-redirect/';

type Answer = (reply: SearchReply, body: Json, memory: Memory, url: string) => object;

/** The bodies of answers, as the providers' own references have them. */
export const searchAnswers: Record<ModelSearch, Answer> = {
  openai({ failed, fault, pages = [], refused, searches = 1 }, { include }) {
    const { cached, input, output } = tokensOfSearch;
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 100 },
      total_tokens: input + output,
    };
    const tool_usage = { web_search: { num_requests: searches } };
    if (fault !== undefined)
      return { status: 'failed', error: { code: fault, message: fault }, output: [], usage, tool_usage };
    // Every page is a source; of those that are cited the reply says something. The address has OpenAI's mark then.
    const shown = ((include ?? []) as string[]).includes('web_search_call.action.sources');
    const sources = shown ? { sources: pages.map(({ url }) => ({ type: 'url', url })) } : {};
    let text = refused ? 'I cannot help with that.' : '🔎 Found:\n';
    const annotations = pages.flatMap((page) => {
      if (page.text === undefined) return [];
      text += `- ${page.text} `;
      const url = `${page.url}${page.url.includes('?') ? '&' : '?'}utm_source=openai`;
      const start_index = Array.from(text).length;
      text += `([${page.title}](${url}))\n`;
      return [{ type: 'url_citation', url, title: page.title, start_index, end_index: Array.from(text).length - 1 }];
    });
    const calls = Array.from({ length: searches }, (_, index) => ({
      id: `ws_${index}`,
      type: 'web_search_call',
      status: failed ? 'failed' : 'completed',
      action: { type: 'search', queries: ['q'], query: 'q', ...(index === 0 && sources) },
    }));
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations }],
    };
    const reasoning = { id: 'rs_1', type: 'reasoning', summary: [] };
    return { status: 'completed', error: null, output: [reasoning, ...calls, message], usage, tool_usage };
  },

  claude({ fault, pages = [], pauses = 0, refused, searches = 1 }, body, memory) {
    const { cached, input, output } = tokensOfSearch;
    const server_tool_use = { web_search_requests: searches, web_fetch_requests: 0 };
    const usage = {
      input_tokens: input - cached,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: 0,
      output_tokens: output,
      server_tool_use,
    };
    const isGoingOn = (body['messages'] as unknown[]).length > 1;
    if (!isGoingOn) memory.paused.splice(0);
    const id = `srvtoolu_${memory.paused.length}`;
    const use = { type: 'server_tool_use', id, name: 'web_search', input: { query: 'q' }, caller: { type: 'direct' } };
    if (memory.paused.length < pauses) {
      const found = [
        {
          type: 'web_search_result',
          url: `https://paused-${id}.example/`,
          title: id,
          encrypted_content: `E${id}`,
          page_age: null,
        },
      ];
      // As in the real API a turn may be paused behind a result.
      const content = [
        use,
        { type: 'web_search_tool_result', tool_use_id: id, content: found, caller: { type: 'direct' } },
      ];
      memory.paused.push(...content);
      return { type: 'message', role: 'assistant', content, stop_reason: 'pause_turn', usage };
    }
    const found = pages.map(({ title, url }) => ({
      type: 'web_search_result',
      url,
      title,
      encrypted_content: 'EqgfCioIARgBIiQ3YTAw',
      page_age: null,
    }));
    const results = fault === undefined ? found : { type: 'web_search_tool_result_error', error_code: fault };
    const said = pages.flatMap(({ text, title, url }) =>
      text === undefined
        ? []
        : [
            {
              type: 'text',
              text,
              citations: [
                {
                  type: 'web_search_result_location',
                  url,
                  title,
                  encrypted_index: 'Eo8B',
                  cited_text: `${title} itself.`,
                },
              ],
            },
          ],
    );
    const searched =
      searches === 0 && fault === undefined
        ? []
        : [use, { type: 'web_search_tool_result', tool_use_id: id, content: results }];
    const content = refused ? [] : [{ type: 'text', text: "I'll search." }, ...searched, ...said];
    return { type: 'message', role: 'assistant', content, stop_reason: refused ? 'refusal' : 'end_turn', usage };
  },

  gemini({ pages = [], refused, searches = 1 }, _body, memory, url) {
    const { cached, input, output } = tokensOfSearch;
    const usageMetadata = {
      promptTokenCount: 2000,
      toolUsePromptTokenCount: input - 2000,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output - 100,
      thoughtsTokenCount: 100,
    };
    if (refused) return { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata };
    // Its pages are known by their hosts, and stand behind addresses of Google's own.
    const chunks = pages.map((page) => {
      const uri = `${url}${redirectPath}${memory.pages.push(page.url) - 1}`;
      return { web: { uri, title: new URL(page.url).host } };
    });
    const supports = pages.flatMap(({ text }, index) =>
      text === undefined ? [] : [{ segment: { startIndex: 0, endIndex: 9, text }, groundingChunkIndices: [index] }],
    );
    const groundingMetadata = {
      searchEntryPoint: { renderedContent: '<div></div>' },
      webSearchQueries: Array.from({ length: searches }, (_, index) => `q${index}`),
      ...(chunks.length > 0 && { groundingChunks: chunks, groundingSupports: supports }),
    };
    const content = { role: 'model', parts: [{ text: pages.map(({ text }) => text).join('\n') }] };
    return {
      candidates: [{ content, finishReason: 'STOP', ...(searches > 0 && { groundingMetadata }) }],
      usageMetadata,
    };
  },
};
