/**
 * An HTTP server as a process of its own: `node serve-main.ts ADDRESS HOME TOKEN [URL]`. Prints its own
 * address. `URL`: where clients reach it, if that is elsewhere.
 */
import { connect } from '../../src/client.ts';
import { Feeds } from '../../src/client/feed.ts';
import { createApp } from '../../src/serve/app.ts';
import { listen } from '../../src/serve/listen.ts';
import type { Served } from '../../src/serve/served.ts';

const [address = '', home = '', owner = '', url] = process.argv.slice(2);
const reprise = await connect({ address, plain: true, home, variables: {} });
const served: Served = {
  reprise,
  ready: async () => reprise,
  feeds: new Feeds(reprise, { home, variables: {} }),
  configs: home,
  home,
  owner,
  url: '',
  port: 0,
  origins: [],
  typed: (text) => text,
  say: (text) => console.error(text),
};
let fetchApp: ReturnType<typeof createApp>['fetch'] = () => new Response(null, { status: 503 });
const { port } = await listen((request) => fetchApp(request), { host: '127.0.0.1', port: 0 });
served.port = port;
const own = `http://127.0.0.1:${port}`;
served.url = url ?? own;
fetchApp = createApp(served).fetch;
console.log(own);
