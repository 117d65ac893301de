import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelSearch } from '../../src/protocol/search.ts';
import { redirectPath, searchAnswers, type Memory, type SearchReply } from './model-search-answers.ts';
import { searchRules } from './rules/model-searches.ts';

type Json = Record<string, unknown>;

/** A search as it came over the wire. */
export interface AskedSearch {
  provider: ModelSearch;
  query: string;
  body: Json;
  headers: IncomingHttpHeaders;
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
    const problem = searchRules[provider](body, request.headers, { pathname, paused: memory.paused });
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
    response.end(
      reply.raw ?? (status === 200 ? JSON.stringify(searchAnswers[provider](reply, body, memory, url)) : '{}'),
    );
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
