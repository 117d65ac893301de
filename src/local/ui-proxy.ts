import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import type { HiddenPlace } from './ports.ts';

/** Headers that concern one connection only, and not the request (RFC 9110, section 7.6.1). */
const ofTheConnection = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** What every answer tells the browser: no other site may show the page in a frame, keep a hold of its window, or load it. */
const protection = {
  'x-frame-options': 'SAMEORIGIN',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** The Web UI shows Markdown in frames of its own. */
const framePolicy = "frame-ancestors 'self'";

/**
 * Stands before the Web UI, which answers whoever asks and whatever host he names. It refuses what a page of another site asks
 * for, also one whose name leads to this machine (DNS rebinding), and lets no such page show the Web UI in a frame.
 */
export function uiProxy(ui: HiddenPlace, port: number): Server {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  return createServer((incoming, outgoing) => {
    const refusal = refusalOf(incoming, hosts);
    if (refusal === undefined) return passOn(incoming, outgoing, ui);
    outgoing.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', ...protection });
    outgoing.end(`${refusal}\n`);
  });
}

function refusalOf({ headers, method, url = '' }: IncomingMessage, hosts: string[]): string | undefined {
  const { host = '', origin } = headers;
  // A request may name the host in its first line as well, which then counts.
  if (!hosts.includes(host.toLowerCase()) || !url.startsWith('/'))
    return `This Web UI is at http://${hosts[0]} only, and not at "${host}".`;
  if (origin !== undefined && !hosts.some((each) => origin === `http://${each}`))
    return 'A page of another site may not use this Web UI.';
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  // Somebody follows a link: the page that has it learns nothing, and GET changes nothing.
  const isLink =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return isLink ? undefined : 'A page of another site may not use this Web UI.';
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, ui: HiddenPlace): void {
  const { method, url: path } = incoming;
  const headers = { ...endToEnd(incoming.headers), host: `${ui.host}:${ui.port}` };
  const passed = request({ ...ui, method, path, headers }, (answer) => {
    outgoing.statusCode = answer.statusCode ?? 502;
    for (const [name, value] of Object.entries({ ...endToEnd(answer.headers), ...protection }))
      if (value !== undefined) outgoing.setHeader(name, value);
    outgoing.appendHeader('content-security-policy', framePolicy);
    pipeline(answer, outgoing, () => {});
  });
  passed.on('error', () => {
    if (!outgoing.headersSent) outgoing.writeHead(502, { 'content-type': 'text/plain', ...protection });
    outgoing.end('The Web UI does not answer.\n');
  });
  outgoing.once('close', () => passed.destroy());
  pipeline(incoming, passed, () => {});
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = headers.connection?.split(',').map((name) => name.trim().toLowerCase()) ?? [];
  const left = new Set([...ofTheConnection, ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !left.has(name)));
}
