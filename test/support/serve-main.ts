/** An HTTP server as a process of its own: `node serve-main.ts ADDRESS HOME URL TOKEN`. Prints its port when it listens. */
import { connect } from '../../src/client.ts';
import { Feeds } from '../../src/client/feed.ts';
import { createApp } from '../../src/serve/app.ts';
import { listen } from '../../src/serve/listen.ts';

const [address = '', home = '', url = '', owner = ''] = process.argv.slice(2);
const reprise = await connect({ address, plain: true, home, variables: {} });
const app = createApp({
  reprise,
  ready: async () => reprise,
  feeds: new Feeds(reprise),
  configs: home,
  home,
  owner,
  url,
  port: Number(new URL(url).port),
  origins: [],
  say: (text) => console.error(text),
});
const { port } = await listen(app.fetch, { host: '127.0.0.1', port: 0 });
console.log(port);
