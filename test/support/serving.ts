import { connect, type Reprise } from '../../src/client.ts';
import { Feeds } from '../../src/client/feed.ts';
import { createApp } from '../../src/serve/app.ts';
import { listen } from '../../src/serve/listen.ts';
import type { Served } from '../../src/serve/served.ts';
import { inject } from 'vitest';
import { Described } from './described.ts';
import type { SharedRunning } from './running.ts';

/** The token of the owner in tests. */
export const ownerToken = 'the-token-of-a-test-server';

/** An HTTP server on the runs of a test's worker. */
export interface Serving {
  /** Such as `http://127.0.0.1:40123`. */
  url: string;
  reprise: Reprise;
  served: Served;
  /** Sends a request with the owner's token, unless it has another. What `/api/v1` answers must be as it is described. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** What the server has said of what went wrong. */
  said: string[];
  /** Breaks off all connections, and takes no more, as if its process was killed. */
  kill(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts an HTTP server in the test. Several on one worker are as several behind a balancer. */
export async function serving(
  { home, taskQueue }: Pick<SharedRunning, 'home' | 'taskQueue'>,
  changed: Partial<Served> = {},
): Promise<Serving> {
  const { address } = inject('temporal');
  const reprise = await connect({ address, plain: true, taskQueue, home, variables: {} });
  const said: string[] = [];
  const feeds = new Feeds(reprise, { home, variables: {} });
  const served: Served = {
    reprise,
    ready: async () => reprise,
    feeds,
    configs: home,
    home,
    owner: ownerToken,
    url: 'http://127.0.0.1:1',
    port: 1,
    origins: [],
    typed: (text) => text,
    say: (text) => void said.push(text),
    ...changed,
  };
  let fetchApp: ReturnType<typeof createApp>['fetch'] = () => new Response(null, { status: 503 });
  const listening = await listen((request) => fetchApp(request), { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${listening.port}`;
  served.port = listening.port;
  if (changed.url === undefined) served.url = url;
  fetchApp = createApp(served).fetch;
  const ask = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${ownerToken}`);
    return fetch(`${url}${path}`, { ...init, headers });
  };
  let described: Promise<Described> | undefined;
  return {
    url,
    reprise,
    served,
    said,
    async fetch(path, init = {}) {
      const answer = await ask(path, init);
      if (!path.startsWith('/api/v1/')) return answer;
      described ??= ask('/api/v1/openapi.json').then(
        async (document) => new Described((await document.json()) as never),
      );
      await (await described).check(init.method ?? 'GET', path, answer);
      return answer;
    },
    kill: () => listening.close(),
    async [Symbol.asyncDispose]() {
      feeds.close();
      await listening.close();
      await reprise.close();
    },
  };
}
