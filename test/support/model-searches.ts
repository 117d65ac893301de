import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { ModelSearch } from '../../src/protocol/search.ts';
import { parameterProblem } from './rules/anthropic-parameters.ts';
import { responsesParameters } from './rules/openai-parameters.ts';
import { settingsProblem } from './rules/openai.ts';

type Json = Record<string, unknown>;

/** A search as it came over the wire. */
export interface AskedSearch {
  provider: ModelSearch;
  query: string;
  body: Json;
  headers: IncomingHttpHeaders;
}

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
  /** How often Anthropic pauses the turn first. */
  pauses?: number;
  /** Another body as it is, or a status in place of an answer. */
  raw?: string;
  status?: number;
  headers?: Record<string, string>;
}

export interface ModelSearches {
  /** For `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL` and `GEMINI_BASE_URL`. */
  variables: Record<'OPENAI_BASE_URL' | 'ANTHROPIC_BASE_URL' | 'GEMINI_BASE_URL', string>;
  searches: AskedSearch[];
  /** The addresses behind which Gemini's pages are, as they were asked. */
  redirects: string[];
  /** Ends it. @throws if it has refused a request by its provider's rules */
  close(): Promise<void>;
}

/** What each request costs besides its searches. */
export const tokensOfSearch = { input: 12_000, cached: 2000, output: 300 };

/**
 * The search that the providers' models have: `web_search` of OpenAI's Responses, `web_search` of Anthropic's Messages and
 * `google_search` of Gemini's `generateContent`, behind real HTTP. They refuse what the providers refuse.
 *
 * @param models where requests go that do not search: the models themselves are at the same address, by the same key
 */
export async function startModelSearches(
  script: (search: AskedSearch) => SearchReply | Promise<SearchReply>,
  models?: { openai: string; anthropic: string },
): Promise<ModelSearches> {
  const searches: AskedSearch[] = [];
  const refused: string[] = [];
  const redirects: string[] = [];
  /** The pages behind Gemini's addresses, and what Anthropic has said of turns that it paused. */
  const memory: Memory = { pages: [], paused: [] };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', 'http://models');
    if (pathname.startsWith(redirectPath)) {
      redirects.push(pathname);
      const location = memory.pages[Number(pathname.slice(redirectPath.length))];
      response.writeHead(location === undefined ? 404 : 302, location === undefined ? {} : { location }).end();
      return;
    }
    const raw = await textOf(request);
    const body = JSON.parse(raw || '{}') as Json;
    const provider = providerOf(pathname, body);
    if (provider === undefined) return forward(request, response, raw);
    const problem = rules[provider](body, request.headers, { pathname, memory });
    if (problem !== undefined) {
      refused.push(`${provider}: ${problem}`);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: problem } }));
      return;
    }
    const seen = { provider, query: queryIn(body), body, headers: request.headers };
    searches.push(seen);
    const reply = await script(seen);
    const { status = 200, headers } = reply;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(reply.raw ?? (status === 200 ? JSON.stringify(answers[provider](reply, body, memory, url)) : '{}'));
  }

  async function forward(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const path = request.url ?? '';
    const base = path.endsWith('/messages')
      ? `${models?.anthropic}${path}`
      : `${models?.openai}${path.replace(/^\/v1(beta\/openai)?/, '')}`;
    const headers = Object.entries(request.headers).flatMap(([name, value]): Array<[string, string]> =>
      ['content-type', 'authorization', 'x-api-key', 'anthropic-version', 'anthropic-beta'].includes(name)
        ? [[name, String(value)]]
        : [],
    );
    const { method = 'GET' } = request;
    const answer = await fetch(base, { method, headers, ...(method === 'POST' && { body }) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    variables: { OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: url, GEMINI_BASE_URL: `${url}/v1beta/openai` },
    searches,
    redirects,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      if (refused.length > 0) throw new Error(`The provider would have refused: ${refused.join('\n')}`);
    },
  };
}

interface Memory {
  pages: string[];
  paused: unknown[];
}

const redirectPath = '/grounding-api-redirect/';

function providerOf(pathname: string, { tools }: Json): ModelSearch | undefined {
  if (pathname.endsWith(':generateContent')) return 'gemini';
  if (!Array.isArray(tools) || !tools.some(({ type }: Json) => String(type).startsWith('web_search'))) return undefined;
  return pathname === '/v1/responses' ? 'openai' : pathname === '/v1/messages' ? 'claude' : undefined;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const queryIn = (body: Json): string => /Search the web for: (.*?)\\n/.exec(JSON.stringify(body))?.[1] ?? '';

type Rule = (
  body: Json,
  headers: IncomingHttpHeaders,
  more: { pathname: string; memory: Memory },
) => string | undefined;

const unknownIn = (value: unknown, known: string[]): string | undefined =>
  Object.keys(value ?? {}).find((key) => !known.includes(key));

const rules: Record<ModelSearch, Rule> = {
  // https://developers.openai.com/api/docs/guides/tools-web-search and the types of the API reference
  openai(body, { authorization = '' }) {
    const { include, input, max_output_tokens: limit, max_tool_calls: calls, model, tool_choice: choice, tools } = body;
    const unknown = unknownIn(body, responsesParameters);
    if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`;
    if (!/^Bearer \S+$/.test(authorization)) return "You didn't provide an API key.";
    if (typeof model !== 'string') return "Missing required parameter: 'model'.";
    if (typeof input !== 'string' || input.trim() === '') return "Missing required parameter: 'input'.";
    if (typeof limit === 'number' && limit < 16) return "Invalid 'max_output_tokens': expected a value >= 16.";
    if (calls !== undefined && !(Number.isInteger(calls) && Number(calls) > 0)) return "Invalid 'max_tool_calls'.";
    if (!['auto', 'required', undefined].includes(choice as string))
      return `Invalid value: '${JSON.stringify(choice)}'.`;
    for (const tool of tools as Json[]) {
      const odd = unknownIn(tool, ['type', 'filters', 'search_context_size', 'user_location', 'external_web_access']);
      if (odd !== undefined) return `Unknown parameter: 'tools[0].${odd}'.`;
      if (!['web_search', 'web_search_2025_08_26'].includes(String(tool['type'])))
        return `Invalid value: 'tools[0].type'.`;
      if (!['low', 'medium', 'high', undefined].includes(tool['search_context_size'] as string))
        return 'Invalid value.';
    }
    const known = ['web_search_call.action.sources', 'web_search_call.results', 'reasoning.encrypted_content'];
    if (((include ?? []) as string[]).some((each) => !known.includes(each))) return "Invalid value: 'include'.";
    // vercel/ai#8220 and others: a model that hardly reasons takes no search.
    const { effort } = (body['reasoning'] ?? {}) as { effort?: string };
    if (effort === 'minimal') return "The following tools cannot be used with reasoning.effort 'minimal': web_search.";
    return settingsProblem(body as Parameters<typeof settingsProblem>[0], 'reasoning.effort')?.message;
  },

  // https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool and …/server-tools
  claude(body, headers, { memory }) {
    const { messages, tools, ...rest } = body as { messages: Json[]; tools: Json[] };
    if (!headers['x-api-key']) return 'x-api-key header is required';
    if (headers['anthropic-version'] !== '2023-06-01') return 'anthropic-version: header is required';
    const problem = parameterProblem({ ...rest, messages }, headers);
    if (problem !== undefined) return problem;
    for (const tool of tools) {
      const known =
        'type name max_uses allowed_domains blocked_domains user_location cache_control allowed_callers strict';
      const odd = unknownIn(tool, known.split(' '));
      if (odd !== undefined) return `tools.0.${String(tool['type'])}.${odd}: Extra inputs are not permitted`;
      if (tool['name'] !== 'web_search') return "tools.0.name: Input should be 'web_search'";
      if (!/^web_search_(20250305|20260209|20260318)$/.test(String(tool['type'])))
        return 'tools.0.type: Input should be …';
      if (tool['max_uses'] !== undefined && !(Number(tool['max_uses']) > 0)) return 'tools.0.max_uses: greater than 0';
    }
    const [first, ...others] = messages;
    if (first?.['role'] !== 'user') return 'messages: first message must use the "user" role';
    if (others.length === 0) return undefined;
    // A turn that was paused goes on with what the API has said of it, and with nothing else.
    const isPaused = others.length === 1 && others[0]?.['role'] === 'assistant';
    if (!isPaused) return 'This model does not support assistant message prefill.';
    if (isDeepStrictEqual(others[0]?.['content'], memory.paused)) return undefined;
    return 'messages.1.content: Invalid `encrypted_content` in `web_search_result` block';
  },

  // https://ai.google.dev/api/generate-content
  gemini(body, headers, { pathname }) {
    if (!headers['x-goog-api-key']) return "Method doesn't allow unregistered callers.";
    if (!/^\/v1beta\/models\/[\w.-]+:generateContent$/.test(pathname))
      return `${pathname} is not found for API version v1beta`;
    const known = 'contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent';
    const unknown = unknownIn(body, known.split(' '));
    if (unknown !== undefined) return `Invalid JSON payload received. Unknown name "${unknown}"`;
    const { contents, generationConfig, tools } = body as {
      contents?: Json[];
      generationConfig?: Json;
      tools?: Json[];
    };
    const parts = contents?.flatMap((each) => each['parts'] as Json[]) ?? [];
    if (parts.length === 0 || parts.some(({ text }) => !text))
      return 'GenerateContentRequest.contents: contents is not specified';
    if (contents?.some(({ role }) => !['user', 'model'].includes(String(role))))
      return 'Please use a valid role: user, model.';
    const odd = unknownIn(
      generationConfig,
      'maxOutputTokens temperature topP topK stopSequences thinkingConfig seed'.split(' '),
    );
    if (odd !== undefined) return `Unknown name "${odd}" at 'generation_config'`;
    const isSearch = tools?.length === 1 && isDeepStrictEqual(tools[0], { google_search: {} });
    return isSearch ? undefined : "Unknown name at 'tools[0]'";
  },
};

type Answer = (reply: SearchReply, body: Json, memory: Memory, url: string) => object;

const answers: Record<ModelSearch, Answer> = {
  openai({ fault, pages = [], refused, searches = 1 }, { include }) {
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
      status: 'completed',
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
