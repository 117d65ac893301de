import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Logins } from '../../../src/tools/mcp/logins.ts';
import { McpServers } from '../../../src/tools/mcp/servers.ts';

/** Calls the one tool of a server over HTTP, which answers with what is given here. */
async function called(answer: (request: IncomingMessage, response: ServerResponse, id: number) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-answers-'));
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'kit', version: '1' },
    },
    'tools/list': { tools: [{ name: 'show', inputSchema: { type: 'object' } }] },
  };
  const server = createServer((request, response) => {
    void (async () => {
      const { id, method } = JSON.parse((await text(request)) || '{}') as { id?: number; method?: string };
      if (method === 'tools/call') return answer(request, response, id ?? 0);
      const result = results[method ?? ''];
      const body = result === undefined ? { error: { code: -32601, message: 'unknown' } } : { result };
      response.writeHead(id === undefined ? 202 : 200, { 'content-type': 'application/json' });
      response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const logins = new Logins(folder);
  logins.update(url, { tokens: { access_token: 'token-of-the-login', token_type: 'Bearer' } });
  const servers = new McpServers({ folder, logs: undefined, logins, environment: {} });
  onTestFinished(async () => {
    await servers.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const [tool] = await servers.tools({ name: 'kit', url });
  const context = { workflowId: 'w', agentId: 'a', idempotencyKey: 'k', signal: new AbortController().signal };
  return tool?.run({}, context);
}

test('a result that would fill the memory ends the call', async () => {
  const endless = called(async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const part = Buffer.alloc(1_000_000, 'x');
    await pipeline(Readable.from(Array.from({ length: 100 }, () => part)), response).catch(() => {});
  });
  await expect(endless).rejects.toThrow('the server answered with over 32 MB');
});

test('a result that holds the token of the login is shown without it', async () => {
  const shown = await called(async ({ headers }, response, id) => {
    const result = { content: [{ type: 'text', text: `It was asked with ${headers.authorization}` }] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  expect(shown).toBe('It was asked with Bearer [redacted]');
});
