import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { blockedPorts, freePort, hiddenPlace, type HiddenPlace } from '../../src/local/ports.ts';
import { uiProxy } from '../../src/local/ui-proxy.ts';
import { Browser, browserPath } from '../support/browser.ts';

if (browserPath === undefined)
  console.warn(
    'SKIPPED: no chromium or google-chrome on the PATH, so that pages of other sites are not tried in a browser',
  );

/** What a page of another site tries, in its own words, with the address of what it attacks. */
const attacks = {
  'a request by script': (url: string) => `await fetch('${url}/api', { credentials: 'include' })`,
  'an order by script that needs no leave': (url: string) =>
    `await fetch('${url}/api', { method: 'POST', mode: 'no-cors', body: '{"workflowType":{}}' })`,
  'a form': (url: string) => `
    const form = Object.assign(document.createElement('form'), { action: '${url}/api', method: 'POST', enctype: 'text/plain', target: 'hidden' });
    const field = Object.assign(document.createElement('input'), { name: '{"workflowType":{"name":"', value: '"}}' });
    const frame = Object.assign(document.createElement('iframe'), { name: 'hidden' });
    form.append(field);
    document.body.append(frame, form);
    form.submit();
    await new Promise((resolve) => frame.addEventListener('load', resolve));`,
  'a frame': (url: string) => `
    const frame = Object.assign(document.createElement('iframe'), { src: '${url}/' });
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    document.body.append(frame);
    await loaded;`,
  'a picture': (url: string) => `
    const picture = Object.assign(document.createElement('img'), { src: '${url}/api' });
    document.body.append(picture);
    await new Promise((resolve) => picture.addEventListener('error', resolve));`,
};

describe.skipIf(browserPath === undefined)('a page of another site, in a browser', { timeout: 600_000 }, () => {
  let ui: HiddenPlace;
  let port: number;
  let browser: Browser;
  let evilPort: number;
  const servers: Server[] = [];
  let heard: string[] = [];
  let attack = '';

  const serve = async (listener: RequestListener, place: Partial<HiddenPlace> = {}): Promise<number> => {
    const server = createServer(listener).listen({ host: '127.0.0.1', port: 0, ...place });
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  beforeAll(async () => {
    ui = await hiddenPlace();
    // It stands for the Web UI, answers everything to everybody, and notes what it hears.
    await serve((incoming, outgoing) => {
      heard.push(`${incoming.method} ${incoming.url}`);
      outgoing.setHeader('access-control-allow-origin', '*').setHeader('content-type', 'text/html');
      outgoing.end('<body>The Web UI<script>fetch("/own", { method: "POST" })</script></body>');
    }, ui);
    port = await freePort();
    servers.push(uiProxy(ui, port).listen(port, '127.0.0.1'));
    evilPort = await serve((_, outgoing) => {
      const tries = `(async () => { try { ${attack} } catch {} document.body.append('Tried.'); })()`;
      outgoing.setHeader('content-type', 'text/html');
      outgoing.end(`<body><a href="http://127.0.0.1:${port}/linked">A link</a><script>${tries}</script></body>`);
    });
    browser = await Browser.open(800, 600);
  }, 300_000);
  afterAll(async () => {
    await browser.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  beforeEach(() => {
    heard = [];
  });

  const sites = { 'another port of this machine': '127.0.0.1', 'another name': 'evil.localhost' };
  const cases = Object.entries(sites).flatMap(([site, host]) =>
    (Object.keys(attacks) as Array<keyof typeof attacks>).map((kind) => ({ site, host, kind })),
  );

  test.each(cases)('from $site: $kind does not come through to the Web UI', async ({ host, kind }) => {
    attack = attacks[kind](`http://127.0.0.1:${port}`);
    await browser.goTo(`http://${host}:${evilPort}/`);
    await browser.shows('Tried.');
    expect(heard).toEqual([]);
  });

  test.each(cases.filter(({ kind }) => kind !== 'a picture'))(
    'from $site: $kind does not reach the place where the Web UI itself listens',
    async ({ host, kind }) => {
      attack = attacks[kind](`http://${ui.host}:${ui.port}`);
      await browser.goTo(`http://${host}:${evilPort}/`);
      await browser.shows('Tried.');
      expect(heard).toEqual([]);
    },
  );

  test('finds nothing at any of the ports that count as out of reach, and neither does the address bar', async () => {
    const address = ui.host === '127.0.0.1' ? ui.host : '127.77.1.1';
    attack = '';
    for (const each of blockedPorts) {
      if (address === ui.host && each === ui.port) continue;
      const hear: RequestListener = (incoming, outgoing) => {
        heard.push(incoming.url ?? '');
        outgoing.end();
      };
      await serve(hear, { host: address, port: each });
      attack += `await fetch('http://${address}:${each}/', { mode: 'no-cors' }).catch(() => {});`;
      await browser.goTo(`http://${address}:${each}/`);
    }
    await browser.goTo(`http://evil.localhost:${evilPort}/`);
    await browser.shows('Tried.');
    expect(heard).toEqual([]);
  });

  test('whose name leads to this machine is not shown the Web UI (DNS rebinding)', async () => {
    await browser.goTo(`http://evil.localhost:${port}/`);
    await browser.shows(`This Web UI is at http://127.0.0.1:${port} only`);
    expect(heard).toEqual([]);
  });

  test('may have a link to the Web UI, which then does what it does', async () => {
    attack = '';
    await browser.goTo(`http://evil.localhost:${evilPort}/`);
    await browser.click('a', 'A link');
    await browser.shows('The Web UI');
    await expect.poll(() => heard).toEqual(expect.arrayContaining(['GET /linked', 'POST /own']));
  });
});
