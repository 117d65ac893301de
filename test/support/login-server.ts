import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** An MCP server that asks for a login, and the authorization server that gives it. */
export interface LoginServer {
  url: string;
  /** What was asked of the authorization server. */
  seen: string[];
  /** Lets the access tokens run out. */
  expire(): void;
  /** Makes the refresh tokens invalid too. */
  revoke(): void;
  /** Refuses renewals by an error that may pass. */
  breakRenewals(isBroken: boolean): void;
  /** Whoever logs in refuses. */
  refuse(): void;
  close(): Promise<void>;
}

function build(): McpServer {
  const server = new McpServer({ name: 'members', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Echoes', inputSchema: z.object({ message: z.string() }) },
    ({ message }) => ({
      content: [{ type: 'text', text: `Echo: ${message}` }],
    }),
  );
  return server;
}

/** Starts one, by the rules of OAuth 2.1: a client registers itself, PKCE is demanded, and refresh tokens are used once. */
export async function startLoginServer(): Promise<LoginServer> {
  const seen: string[] = [];
  const challenges = new Map<string, { challenge: string; client: string; redirect: string }>();
  const clients = new Map<string, string[]>();
  let access = new Set<string>();
  let refresh = new Set<string>();
  let isBroken = false;
  let refuses = false;
  const serve = toNodeHandler(createMcpHandler(build));
  const json = (response: ServerResponse, status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const issue = (response: ServerResponse): void => {
    const [token, again] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    access.add(token);
    refresh.add(again);
    json(response, 200, { access_token: token, refresh_token: again, token_type: 'Bearer', expires_in: 3600 });
  };
  const endpoints: Record<
    string,
    (query: URLSearchParams, response: ServerResponse, body: string, request: IncomingMessage) => void
  > = {
    '/.well-known/oauth-protected-resource/mcp': (_, response) =>
      json(response, 200, { resource: `${origin()}/mcp`, authorization_servers: [origin()] }),
    '/.well-known/oauth-authorization-server': (_, response) =>
      json(response, 200, {
        issuer: origin(),
        authorization_endpoint: `${origin()}/authorize`,
        token_endpoint: `${origin()}/token`,
        registration_endpoint: `${origin()}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      }),
    '/register': (_, response, body) => {
      const metadata = JSON.parse(body) as { redirect_uris: string[] };
      const id = randomUUID();
      clients.set(id, metadata.redirect_uris);
      json(response, 201, { ...metadata, client_id: id });
    },
    '/authorize': (query, response) => {
      const get = (name: string): string => query.get(name) ?? '';
      const redirect = get('redirect_uri');
      if (get('code_challenge_method') !== 'S256' || !clients.get(get('client_id'))?.includes(redirect)) {
        return json(response, 400, { error: 'invalid_request' });
      }
      const back = new URL(redirect);
      back.searchParams.set('state', get('state'));
      if (refuses) back.searchParams.set('error', 'access_denied');
      const code = randomUUID();
      challenges.set(code, { challenge: get('code_challenge'), client: get('client_id'), redirect });
      back.searchParams.set('code', code);
      response.writeHead(302, { location: back.href }).end();
    },
    '/token': (_, response, body, { headers }) => {
      const given = new URLSearchParams(body);
      const grant = given.get('grant_type');
      seen.push(`token ${grant}`);
      if (grant === 'client_credentials') {
        const isRight = headers.authorization === `Basic ${Buffer.from('worker:open-sesame-1234').toString('base64')}`;
        return isRight ? issue(response) : json(response, 401, { error: 'invalid_client' });
      }
      if (grant === 'refresh_token') {
        if (isBroken) return json(response, 503, { error: 'server_error' });
        if (!refresh.delete(given.get('refresh_token') ?? '')) return json(response, 400, { error: 'invalid_grant' });
        return issue(response);
      }
      const known = challenges.get(given.get('code') ?? '');
      const verifier = createHash('sha256')
        .update(given.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight =
        known?.challenge === verifier &&
        known.client === given.get('client_id') &&
        known.redirect === given.get('redirect_uri');
      return isRight ? issue(response) : json(response, 400, { error: 'invalid_grant' });
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', origin());
    if (pathname !== '/mcp') {
      const endpoint = endpoints[pathname];
      if (endpoint === undefined) return json(response, 404, {});
      return endpoint(searchParams, response, await text(request), request);
    }
    if (access.has((request.headers.authorization ?? '').replace('Bearer ', ''))) {
      return serve(request as never, response);
    }
    const metadata = `${origin()}/.well-known/oauth-protected-resource/mcp`;
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin()}/mcp`,
    seen,
    expire: () => (access = new Set()),
    revoke() {
      access = new Set();
      refresh = new Set();
    },
    breakRenewals: (broken) => (isBroken = broken),
    refuse: () => (refuses = true),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
