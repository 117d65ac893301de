import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createListTools } from '../../../src/activities/tools/tools.ts';
import { mcpServersSchema } from '../../../src/config/tool-sources.ts';
import { login } from '../../../src/tools/mcp/login.ts';
import { Logins } from '../../../src/tools/mcp/logins.ts';
import { openToolRegistry } from '../../../src/activities/tools/tool-registry.ts';
import { startLoginServer, type LoginServer } from '../../support/login-server.ts';
import { callerOf } from '../../support/mcp.ts';
import { toolBench } from '../../support/tool-bench.ts';
import type { McpServer } from '../../../src/protocol/settings.ts';

const bench = toolBench();
const { folder, logs, store } = bench;
const folderOfLogins = join(folder, 'logins');
const logins = new Logins(folderOfLogins);
const worker = () => openToolRegistry({ folder, logs, logins: folderOfLogins, environment: {}, store });
let toolbox = worker();

let server: LoginServer;
let mcp: McpServer & { url: string };
beforeEach(async ({ onTestFinished }) => {
  server = await startLoginServer();
  mcp = { name: 'members', url: server.url };
  toolbox = worker();
  onTestFinished(async () => {
    await toolbox.close();
    await server.close();
  });
});
afterAll(() => bench.close());

/** Logs in as a browser does that follows each redirect. @returns what the browser shows at the end */
const logIn = (browse = (address: URL): Promise<unknown> => fetch(address)) =>
  login(server.url, {
    logins,
    signal: AbortSignal.timeout(20_000),
    show: (address) => void browse(address).catch(() => {}),
  });
const echo = () => callerOf({ store, toolbox }, mcp)('echo', { message: 'hello' }).result;
const listed = () =>
  createListTools({ store, tools: toolbox })({ sources: { packages: [], mcpServers: [mcp] }, own: [] });
const ok = { status: 'ok', text: 'Echo: hello' };

describe('a server that asks for a login', () => {
  test('is refused at the beginning of a run with the command that logs in, and is waited for later', async () => {
    const message = `the MCP server members: it asks for a login: reprise login ${server.url}`;
    await expect(listed()).rejects.toMatchObject({ type: 'InvalidInput', message });
    const failure = (await echo().catch((error: unknown) => error)) as ApplicationFailure;
    expect(failure).toMatchObject({ type: 'MissingKey', details: [message, { variable: `login ${server.url}` }] });
  });

  test('is used after a login, whose tokens only their owner can read', async () => {
    expect(await logIn()).toEqual({ asked: true, tools: 1 });
    expect(await echo()).toEqual(ok);
    const [file = ''] = readdirSync(folderOfLogins);
    expect(statSync(join(folderOfLogins, file)).mode & 0o777).toBe(0o600);
    expect(statSync(folderOfLogins).mode & 0o777).toBe(0o700);
    expect(await logIn()).toEqual({ asked: false, tools: 1 });
  });

  test('a login that has run out is renewed once, however many calls need it', async () => {
    await logIn();
    await echo();
    server.expire();
    server.seen.length = 0;
    expect(await Promise.all([echo(), echo(), echo(), echo()])).toEqual([ok, ok, ok, ok]);
    expect(server.seen).toEqual(['token refresh_token']);
  });

  test('two workers that renew one login do not lose it', async () => {
    await logIn();
    const other = worker();
    const both = [callerOf({ store, toolbox }, mcp), callerOf({ store, toolbox: other }, mcp)];
    const calls = () => Promise.all(both.map((call) => call('echo', { message: 'hello' }).result));
    await calls();
    server.expire();
    await calls().catch(() => {});
    expect(await calls()).toEqual([ok, ok]);
    await other.close();
  });

  test('a login that was withdrawn is waited for, and another one goes on', async () => {
    await logIn();
    await echo();
    server.revoke();
    await expect(echo()).rejects.toMatchObject({ type: 'MissingKey' });
    expect(logins.has(server.url)).toBe(false);
    await logIn();
    expect(await echo()).toEqual(ok);
  });

  test('a renewal that fails for now keeps the login, and shows no token', async () => {
    await logIn();
    await echo();
    server.expire();
    server.breakRenewals(true);
    const { status, text } = await echo();
    expect(status).toBe('exception');
    expect(text).toContain(`the login could not be renewed; try reprise login ${server.url}`);
    expect(text).not.toMatch(/(access|refresh)-/);
    server.breakRenewals(false);
    expect(await echo()).toEqual(ok);
  });
});

describe('a login', () => {
  test('is not ended by what comes from elsewhere', async () => {
    const pages: Array<[status: number, text: string]> = [];
    const show = async (address: string | URL): Promise<void> => {
      const response = await fetch(address);
      pages.push([response.status, await response.text()]);
    };
    expect(
      await logIn(async (address) => {
        const callback = address.searchParams.get('redirect_uri') ?? '';
        await show(`${callback}?code=stolen&state=guessed`);
        await show(`${callback}?code=stolen`);
        await show(new URL('/', callback));
        await show(address);
      }),
    ).toEqual({ asked: true, tools: 1 });
    expect(pages.map(([status]) => status)).toEqual([404, 404, 404, 200]);
    expect(pages.at(-1)?.[1]).toContain('You may close this page');
  });

  test('takes the address that the browser of another machine could not open', async () => {
    const result = await login(server.url, {
      logins,
      signal: AbortSignal.timeout(20_000),
      show: (address, returned) =>
        void fetch(address, { redirect: 'manual' }).then((response) =>
          returned(response.headers.get('location') ?? ''),
        ),
    });
    expect(result).toEqual({ asked: true, tools: 1 });
  });

  test('that is refused says so', async () => {
    server.refuse();
    await expect(logIn()).rejects.toThrow('the login was refused (access_denied)');
    expect(logins.has(server.url)).toBe(false);
  });
});

describe('a worker that logs in by a secret of its own', () => {
  const secretOf = (variable: string) => ({
    issuer: new URL(mcp.url).origin,
    client_id: 'worker',
    client_secret: `\${${variable}}`,
  });
  const environment = { SECRET: 'open-sesame-1234', WRONG: 'close-sesame-4321' };
  const callWith = (variable: string) => {
    toolbox = openToolRegistry({ folder, logs, environment, store });
    const source = { ...mcp, client_credentials: secretOf(variable) };
    return callerOf({ store, toolbox }, source)('echo', { message: 'hello' }).result;
  };

  test('does so again when that has run out', async () => {
    expect(await callWith('SECRET')).toEqual(ok);
    server.expire();
    expect(await callWith('SECRET')).toEqual(ok);
    expect(server.seen).toEqual(['token client_credentials', 'token client_credentials']);
  });

  test('says that it was refused, without the secret, and waits for a secret that is not set', async () => {
    const { status, text } = await callWith('WRONG');
    expect(status).toBe('exception');
    expect(text).toMatch(/^the MCP server members: .* cannot be used: .*invalid_client/);
    expect(text).not.toContain('sesame');
    await expect(callWith('MISSING')).rejects.toMatchObject({
      type: 'MissingKey',
      details: [expect.anything(), { variable: 'MISSING' }],
    });
  });

  test('gives the secret to no other authorization server than the one that is named', async () => {
    const client_credentials = { ...secretOf('SECRET'), issuer: 'https://login.example.com' };
    toolbox = openToolRegistry({ folder, logs, environment, store });
    const { text } = await callerOf({ store, toolbox }, { ...mcp, client_credentials })('echo', {}).result;
    expect(text).toMatch(/cannot be used: .*https:\/\/login\.example\.com/);
    expect(server.seen).toEqual([]);
  });
});

test('a secret that stands in a configuration is refused', () => {
  const { url } = mcp;
  const servers = (client_secret: string) =>
    mcpServersSchema.safeParse([
      { name: 'a', url, client_credentials: { issuer: url, client_id: 'worker', client_secret } },
    ]);
  expect(servers('${SECRET}').success).toBe(true);
  expect(servers('open-sesame').error?.issues).toMatchObject([
    { path: [0, 'client_credentials', 'client_secret'], message: expect.stringContaining('write ${NAME}') },
  ]);
});

test('a server of the time before Streamable HTTP that asks for a login is one to log in at', async ({
  onTestFinished,
}) => {
  const older = createServer(({ method }, response) => response.writeHead(method === 'GET' ? 401 : 405).end());
  await once(older.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void older.close());
  const url = `http://127.0.0.1:${(older.address() as AddressInfo).port}/sse`;
  const listed = createListTools({ store, tools: toolbox })({
    sources: { packages: [], mcpServers: [{ name: 'older', url }] },
    own: [],
  });
  await expect(listed).rejects.toThrow(`reprise login ${url}`);
});
