import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebSearchService } from '../../src/protocol/search.ts';

/** A search as it came over the wire. */
export interface SeenSearch {
  service: WebSearchService;
  query: string;
  /** Parameters of the address for SearXNG and Brave, of the body for Tavily. */
  parameters: Record<string, unknown>;
  /** What it carries as its credentials: `Authorization`, or Brave's token. */
  authorization: string | undefined;
}

/** What the service answers: results, another body as it is, or a status without either. */
export interface SearchAnswer {
  results?: unknown[];
  raw?: string;
  status?: number;
  headers?: Record<string, string>;
}

export interface SearchServer {
  /** For `SEARXNG_URL` and `TAVILY_BASE_URL`. */
  url: string;
  /** For `BRAVE_BASE_URL`. */
  brave: string;
  /** All searches so far, in the order in which they came. */
  searches: SeenSearch[];
  close(): Promise<void>;
}

/**
 * SearXNG, Tavily and Brave behind real HTTP: all say what a script tells them. A search that it never answers stays open.
 * Brave refuses what its API reference does not allow, and gives its results the shape that it has.
 */
export async function startSearchServer(
  script: (search: SeenSearch) => SearchAnswer | Promise<SearchAnswer>,
): Promise<SearchServer> {
  const searches: SeenSearch[] = [];
  const server = createServer((request, response) => {
    void read(request).then(async (seen) => {
      if (seen === undefined) return response.writeHead(404).end('no such page');
      searches.push(seen);
      const refused = seen.service === 'brave' ? refusalOf(seen) : undefined;
      if (refused !== undefined) return response.writeHead(422).end(JSON.stringify(refused));
      const { results = [], raw, status = 200, headers } = await script(seen);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      return response.end(raw ?? JSON.stringify(answerOf(seen, results)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    brave: url + bravePath,
    searches,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<SeenSearch | undefined> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://search');
  const { authorization } = request.headers;
  if (!pathname.endsWith('/search')) return undefined;
  if (request.method === 'GET') {
    const parameters = Object.fromEntries(searchParams);
    if (pathname === `${bravePath}/web/search`) {
      const token = request.headers['x-subscription-token'];
      return { service: 'brave', query: searchParams.get('q') ?? '', parameters, authorization: token?.toString() };
    }
    return { service: 'searxng', query: searchParams.get('q') ?? '', parameters, authorization };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const parameters = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  return { service: 'tavily', query: String(parameters['query']), parameters, authorization };
}

const bravePath = '/res/v1';

/** The parameters that Brave's API reference has and that are of use here. It refuses values that are out of bounds. */
const braveParameters: Record<string, (value: string) => boolean> = {
  q: (query) => query.trim() !== '' && query.length <= 400 && query.trim().split(/\s+/).length <= 50,
  count: (count) => /^\d+$/.test(count) && Number(count) >= 1 && Number(count) <= 20,
  result_filter: (filter) => filter === 'web',
  text_decorations: (given) => ['true', 'false'].includes(given),
};

function refusalOf({ authorization, parameters }: SeenSearch): object | undefined {
  const refused = (code: string): object => ({ type: 'ErrorResponse', error: { status: 422, code } });
  if (!authorization) return refused('SUBSCRIPTION_TOKEN_INVALID');
  const isGood = Object.entries(parameters).every(([name, value]) => braveParameters[name]?.(String(value)));
  return isGood && 'q' in parameters ? undefined : refused('VALIDATION');
}

/** Brave calls the text of a result its description, and leaves `web` out where there are none. */
function answerOf({ service, query }: SeenSearch, results: unknown[]): object {
  if (service !== 'brave') return { query, results };
  const renamed = results.map((result) => {
    if (typeof result !== 'object' || result === null) return result;
    const { content, ...rest } = result as { content?: unknown };
    return { ...rest, description: content };
  });
  const web = renamed.length === 0 ? {} : { web: { type: 'search', results: renamed } };
  return { type: 'search', query: { original: query }, ...web };
}
