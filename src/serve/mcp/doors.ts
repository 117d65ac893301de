import type { Readable, Writable } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { Hono } from 'hono';
import type { Access } from '../access.ts';
import { longestBody } from '../door.ts';
import type { Served, ServeEnv } from '../served.ts';
import { mcpServer } from './server.ts';

/** `/mcp`: the MCP server over HTTP. Each request has a server of its own, so that any of several processes answers it. */
export function mcpRoutes(served: Served): Hono<ServeEnv> {
  const handler = createMcpHandler(
    (context) => mcpServer({ served, access: context.authInfo?.extra?.['access'] as Access }, context),
    { maxRequestBodySize: longestBody },
  );
  return new Hono<ServeEnv>().all('/mcp', async (c) => {
    // The door has checked the token; only the access matters of what the package wants to know.
    const authInfo = { token: '', clientId: '', scopes: [], extra: { access: c.get('access') } };
    const response = await handler.fetch(c.req.raw, { authInfo });
    return c.newResponse(response.body, response);
  });
}

/**
 * Serves MCP to the program that has started this one, which may do everything, since it runs as the same user. Nothing else
 * may write to `output`.
 *
 * @returns once that program has gone
 */
export async function serveMcpOnStdio(served: Served, streams: { input: Readable; output: Writable }): Promise<void> {
  const transport = new StdioServerTransport(streams.input, streams.output, { maxBufferSize: longestBody });
  const gone = new Promise<void>((resolve) => {
    streams.input.once('end', resolve).once('close', resolve);
    streams.output.once('error', () => resolve());
  });
  const caller = { served, access: { grant: { kind: 'all' as const }, prefix: '' } };
  const onerror = ({ message }: Error): void => served.say(`MCP: ${message}`);
  const handle = serveStdio((context) => mcpServer(caller, context), { transport, onerror });
  await gone;
  await handle.close();
}
