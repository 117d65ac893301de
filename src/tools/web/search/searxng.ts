import { z } from 'zod';
import { ask, resultsIn, searchFailed, type Search, type Service } from './provider.ts';

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

/** Searches a SearXNG instance. @param address may hold credentials, as in `https://name:password@search.example` */
export function searchSearxng(address: string): Search {
  return async (query, _wanted, signal) => {
    const answer = await ask(service, requestFor(query, address), signal);
    const found = resultsIn(answer, service);
    // If search engines did not answer, the lack of results does not mean that there is nothing to find.
    if (found.length === 0 && silentSchema.safeParse(answer).success) {
      throw searchFailed('searxng found nothing, since search engines did not answer it; see its statistics');
    }
    return { found };
  };
}

function requestFor(query: string, address: string): { url: URL; headers: Record<string, string> } {
  const url = new URL(address);
  const { username, password } = url;
  // `fetch` takes no addresses with a name or a password.
  url.username = '';
  url.password = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/search`;
  url.searchParams.set('q', query);
  url.searchParams.set('format', 'json');
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { url, headers: credentials === ':' ? {} : { authorization } };
}
