import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { version } from '../../util/version.ts';
import { loginProvider, type LoginProvider } from './login-provider.ts';
import type { Logins } from './logins.ts';

const stepMs = 30_000;

interface LoginSettings {
  logins: Logins;
  /** Has the person open an address. @param returned takes the address that the browser ends at, pasted by the person */
  show: (address: URL, returned: (address: string) => void) => void;
  signal: AbortSignal;
}

/**
 * Logs in at a server (OAuth 2.1 with PKCE, by the SDK: it finds the authorization server, registers a client there, and
 * exchanges the code). The browser comes back to a port of this machine that nobody else reaches.
 *
 * @returns whether the server asked for a login at all, or the one that was there is still good, and how many tools it has
 * @throws what the SDK throws; an `Error` if the person or the authorization server refuses
 */
export async function login(
  url: string,
  { logins, show, signal }: LoginSettings,
): Promise<{ asked: boolean; tools: number }> {
  const { promise: returned, reject, resolve } = Promise.withResolvers<URLSearchParams>();
  // Whoever waits is told; it may also be that nobody does, since no login was asked for.
  returned.catch(() => {});
  const callback = createServer();
  callback.listen(0, '127.0.0.1');
  await once(callback, 'listening');
  const redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
  const provider = loginProvider(url, logins, redirectUrl, (address) =>
    show(address, (pasted) => {
      const query = queryOf(pasted, redirectUrl);
      if (query !== undefined) resolve(query);
    }),
  );
  callback.on('request', (request, response) => {
    const query = queryOf(request.url ?? '', redirectUrl);
    // Anybody's page may send a browser here; only the answer to this login knows its state.
    const isOurs = query?.get('state') === provider.state();
    response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(isOurs ? 'That was it. You may close this page and go back to the terminal.\n' : 'Nothing is here.\n');
    if (isOurs && query !== undefined) resolve(query);
  });
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  const transport = newTransport(url, provider);
  try {
    const tools = await toolsOf(transport);
    if (tools !== undefined) return { asked: false, tools };
    const query = await returned;
    if (query.get('state') !== provider.state()) throw new Error('what came back belongs to another login');
    // What an authorization server writes there is its own, and a wrong one may write anything.
    if (query.has('error')) throw new Error(`the login was refused (${query.get('error')?.replace(/[^\w-]/g, '')})`);
    await transport.finishAuth(query);
    return { asked: true, tools: (await toolsOf(newTransport(url, provider))) ?? 0 };
  } finally {
    signal.removeEventListener('abort', onAbort);
    callback.close();
    callback.closeAllConnections();
  }
}

const newTransport = (url: string, authProvider: LoginProvider): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(url), { authProvider });

/** How many tools a server offers; undefined if it asks for a login first. */
async function toolsOf(transport: StreamableHTTPClientTransport): Promise<number | undefined> {
  const client = new Client({ name: 'reprise', version }, { versionNegotiation: { mode: 'auto' } });
  const options = { signal: AbortSignal.timeout(stepMs), timeout: stepMs };
  try {
    await client.connect(transport, options);
    const { tools } = await client.listTools(undefined, options);
    return tools.length;
  } catch (error) {
    if (error instanceof UnauthorizedError) return undefined;
    throw error;
  } finally {
    await client.close();
  }
}

function queryOf(address: string, redirectUrl: string): URLSearchParams | undefined {
  const url = URL.parse(address.trim(), redirectUrl);
  return url?.pathname === '/callback' ? url.searchParams : undefined;
}
