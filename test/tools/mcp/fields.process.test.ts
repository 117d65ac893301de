import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stdioServer } from '../../support/mcp.ts';
import { toolBench } from '../../support/tool-bench.ts';
import type { McpServer } from '../../../src/protocol/settings.ts';

const token = 'open-sesame-1234';
const bench = toolBench({}, { TEST_TOKEN: token, TEST_LEVEL: 'debug' });
afterAll(() => bench.close());

const call = (mcp: McpServer, name: string, args: object = {}) => bench.call({ name, source: { mcp } }, args).result;

/** What a list of tools from these servers fails with. */
const refusal = async (...mcpServers: McpServer[]): Promise<{ type: string; message: string }> =>
  (await bench.list({ mcpServers }).catch((error: unknown) => error)) as { type: string; message: string };

describe('env', () => {
  const { server: plain } = stdioServer(bench.folder);

  test('a command gets it beside the few variables that every program needs, and none of the others', async () => {
    const env = { LEVEL: '${TEST_LEVEL}', AUTH: 'token ${TEST_TOKEN}!', PLAIN: '$HOME {x} ${}' };
    const { text } = await call({ ...plain, env }, 'get-env');
    const got = JSON.parse(text) as Record<string, string>;
    expect(got).toMatchObject({ LEVEL: 'debug', AUTH: 'token [redacted]!', PLAIN: '$HOME {x} ${}' });
    expect(got['PATH']).toBe(process.env['PATH']);
    expect(got).not.toHaveProperty('TEST_TOKEN');
    expect(got).not.toHaveProperty('VITEST');
  });

  test('a variable that is not set is named with its server and its key; all of them at once', async () => {
    const env = { ONE: '${NOT_SET}', TWO: '${TEST_LEVEL}${NOT_SET_EITHER}' };
    const { type, message } = await refusal(
      { ...plain, env },
      { name: 'remote', url: 'http://127.0.0.1:1/', headers: { 'X-Key': '${NOT_SET}' } },
    );
    expect(type).toBe('InvalidInput');
    expect(message.split('\n')).toEqual(
      [
        'the MCP server everything: env.ONE needs NOT_SET',
        'the MCP server everything: env.TWO needs NOT_SET_EITHER',
        'the MCP server remote: headers.X-Key needs NOT_SET',
      ].map((line) => `${line}, which is not set in the worker's environment`),
    );
  });

  test('what a server is listed with names the variable, not what it holds', async () => {
    const server = { ...plain, env: { AUTH: '${TEST_TOKEN}' } } as McpServer;
    const listed = JSON.stringify(await bench.list({ mcpServers: [server] }));
    expect(listed).toContain('${TEST_TOKEN}');
    expect(listed).not.toContain(token);
  });
});

describe('timeout', () => {
  test('is that of each of the server’s tools, and servers that differ in nothing else are one', async () => {
    const { server, pids } = stdioServer(bench.folder);
    for (const timeout of [5, 90]) {
      const { tools } = await bench.list({ mcpServers: [{ ...server, timeout }] });
      const own = tools.filter(({ source }) => 'mcp' in source);
      expect(new Set(own.map((tool) => tool.timeout))).toEqual(new Set([timeout]));
    }
    expect(pids()).toHaveLength(1);
  });
});

describe('headers', () => {
  const seen: IncomingHttpHeaders[] = [];
  let refuses = true;
  /** As much of a server as a list of tools and a call need: it refuses, or its tool fails, and quotes its header. */
  const server = createServer((request, response) => {
    seen.push(request.headers);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const quoted = String(request.headers['authorization']);
      if (refuses) return response.writeHead(403).end(`${quoted} is not welcome`);
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id?: number; method: string };
      if (id === undefined) return response.writeHead(202).end();
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'quoting', version: '1' },
        },
        'tools/list': { tools: [{ name: 'fail', inputSchema: { type: 'object' } }] },
        'tools/call': { isError: true, content: [{ type: 'text', text: `no rights with ${quoted}` }] },
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
    });
  });
  let mcp: McpServer;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    mcp = { name: 'quoting', url, headers: { Authorization: 'Token ${TEST_TOKEN}', 'X-Team': 'a' } };
  });
  afterAll(() => server.close());

  test('go with each request, and a refusal that quotes them does not show what was put in', async () => {
    const { message } = await refusal(mcp);
    expect(seen[0]).toMatchObject({ authorization: `Token ${token}`, 'x-team': 'a' });
    expect(message).toMatch(/^the MCP server quoting: .*Token \[redacted\] is not welcome/);
    expect(await call(mcp, 'fail')).toMatchObject({
      status: 'exception',
      text: expect.not.stringContaining(token),
    });
  });

  test('nor does a failure that a tool reports, nor one of a value that is no header', async () => {
    refuses = false;
    expect(await call(mcp, 'fail')).toEqual({ status: 'error', text: 'no rights with Token [redacted]' });
    expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set([`Token ${token}`]));
    const { message } = await refusal({ ...mcp, headers: { Authorization: '${TEST_TOKEN}\u{1F600}' } });
    expect(message).toMatch(/^the MCP server quoting: .*cannot be used/);
    expect(message).not.toContain(token);
  });
});
