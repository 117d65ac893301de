import { z } from 'zod';
import { searchFailed } from './failures.ts';
import type { SearchProvider } from './provider.ts';
import { resultsIn } from './results.ts';
import { ask, type Service } from './service.ts';

const service: Service = {
  provider: 'searxng',
  addressVariable: 'SEARXNG_URL',
  hints: {
    401: 'check the name and the password in SEARXNG_URL',
    403: 'its settings.yml must list json under search.formats',
    429: 'its limiter takes us for a robot; see server.limiter in its settings.yml',
  },
};

const silentSchema = z.object({ unresponsive_engines: z.array(z.unknown()).min(1) });

/** @param address may hold a name and a password, as in `https://name:password@search.example` */
export function searchSearxng(address: string): SearchProvider {
  return {
    async find(query, _wanted, signal) {
      const answer = await ask(service, requestFor(query, address), signal);
      const results = resultsIn(answer, service);
      // No results of engines that did not answer are no finding that there is nothing.
      if (results.length === 0 && silentSchema.safeParse(answer).success) {
        throw searchFailed('searxng found nothing, since search engines did not answer it; see its statistics');
      }
      return results;
    },
  };
}

function requestFor(query: string, address: string): { url: URL; headers: Record<string, string> } {
  const url = new URL(address);
  const { username, password } = url;
  // Addresses with a password cannot be fetched.
  url.username = '';
  url.password = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/search`;
  url.searchParams.set('q', query);
  url.searchParams.set('format', 'json');
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { url, headers: credentials === ':' ? {} : { authorization } };
}
