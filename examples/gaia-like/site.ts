import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = new URL('site/', import.meta.url);
const names = readdirSync(folder);

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.csv': 'text/csv',
};

const read = (name: string): Buffer => readFileSync(fileURLToPath(new URL(name, folder)));

/** A web site of a few pages at an address of this machine. */
export interface Site {
  /** Such as `http://127.0.0.1:8080`. */
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the folder `site`, and a search over its pages as SearXNG answers it
 * (https://docs.searxng.org/dev/search_api.html).
 */
export async function serveSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    const name = pathname === '/' ? 'index.html' : pathname.slice(1);
    if (pathname === '/search') {
      const results = find(searchParams.get('q') ?? '', `http://${request.headers.host}`);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ results }));
    } else if (names.includes(name)) {
      response.setHeader('content-type', types[extname(name)] ?? 'text/plain').end(read(name));
    } else {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The pages that hold most of the query's words. */
function find(query: string, site: string) {
  const words = wordsOf(query);
  return names
    .filter((name) => name.endsWith('.html'))
    .map((name) => {
      const page = read(name).toString();
      const title = /<title>(.*)<\/title>/.exec(page)?.[1] ?? name;
      const content = page.replace(/^[^]*<article>|<\/article>[^]*$|<[^>]*>/g, ' ').replace(/\s+/g, ' ');
      const held = wordsOf(content);
      return {
        title,
        url: `${site}/${name}`,
        content: content.slice(0, 300),
        score: [...words].filter((word) => held.has(word)).length,
      };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, 5);
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[a-z]{4,}/g) ?? []);
