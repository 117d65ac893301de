import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A search as it came over the wire. */
export interface SeenSearch {
  service: 'searxng' | 'tavily';
  query: string;
  /** Parameters of the address for SearXNG, of the body for Tavily. */
  parameters: Record<string, unknown>;
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
  /** All searches so far, in the order in which they came. */
  searches: SeenSearch[];
  close(): Promise<void>;
}

/** SearXNG and Tavily behind real HTTP: both say what a script tells them. A search that it never answers stays open. */
export async function startSearchServer(
  script: (search: SeenSearch) => SearchAnswer | Promise<SearchAnswer>,
): Promise<SearchServer> {
  const searches: SeenSearch[] = [];
  const server = createServer((request, response) => {
    void read(request).then(async (seen) => {
      if (seen === undefined) return response.writeHead(404).end('no such page');
      searches.push(seen);
      const { results = [], raw, status = 200, headers } = await script(seen);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      return response.end(raw ?? JSON.stringify({ query: seen.query, results }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
    return { service: 'searxng', query: searchParams.get('q') ?? '', parameters, authorization };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const parameters = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  return { service: 'tavily', query: String(parameters['query']), parameters, authorization };
}
