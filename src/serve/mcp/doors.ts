import type { Readable, Writable } from 'node:stream';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  inputRequired,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpRequestContext,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { Hono } from 'hono';
import { z } from 'zod';
import type { RunEvent } from '../../client.ts';
import { cutInMiddle } from '../../util/text/cut.ts';
import { version } from '../../util/version.ts';
import type { Access } from '../access.ts';
import { bodyText, jsonOf, longestBody, noJson } from '../door.ts';
import { HttpProblem, problemOf } from '../problems.ts';
import type { Served, ServeEnv } from '../served.ts';
import { assertReached } from '../start.ts';
import { linesOf } from '../waiting.ts';
import { formsOf, hasTasks, resultOf, serveTasks, settle, taskOf, tasksExtension } from './tasks.ts';
import { toolsOf, type Caller, type Tool } from './tools.ts';
import { look, viewSchema, waited } from './view.ts';

/** `/mcp`: the MCP server over HTTP. Each request has a server of its own, so that any of several processes answers it. */
export function mcpRoutes(served: Served): Hono<ServeEnv> {
  const handler = createMcpHandler((context) =>
    mcpServer({ served, access: context.authInfo?.extra?.['access'] as Access }, context),
  );
  return new Hono<ServeEnv>().all('/mcp', async (c) => {
    // The door has checked the token; only the access matters of what the package wants to know.
    const authInfo = { token: '', clientId: '', scopes: [], extra: { access: c.get('access') } };
    const body = c.req.method === 'POST' && (await bodyText(c));
    try {
      const response = await handler.fetch(c.req.raw, {
        authInfo,
        ...(body !== false && { parsedBody: jsonOf(body) }),
      });
      return c.newResponse(response.body, response);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const problem = { code: ProtocolErrorCode.ParseError, message: noJson(error) };
      return c.json({ jsonrpc: '2.0', id: null, error: problem }, 400);
    }
  });
}

/**
 * Serves MCP to the program that has started this one, until it goes: it may do everything, since it runs as the same user. Nothing
 * else may write to `output`.
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

const instructions =
  'Teams of agents that go on by themselves, also when nobody waits for them: a run that takes longer than a request is ' +
  'found again by the tool status. What waits for a person is settled by the tool answer, after you have asked yours.';

/** How long a person may take to fill in a form for a client of the generation before, which keeps its request open. */
const roundTimeoutMs = 24 * 3600 * 1000;

function mcpServer(caller: Caller, { era }: McpRequestContext): McpServer {
  const capabilities = {
    tools: { listChanged: false },
    ...(era === 'modern' && { extensions: { [tasksExtension]: {} } }),
  };
  const mcp = new McpServer(
    { name: 'reprise', title: 'Reprise', version },
    { capabilities, instructions, inputRequired: { roundTimeoutMs } },
  );
  const { server } = mcp;
  const abilitiesOf = ({ mcpReq }: ServerContext): ClientCapabilities =>
    (mcpReq.envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ??
    server.getClientCapabilities() ??
    {};
  const tools = toolsOf(caller);
  server.setRequestHandler('tools/list', () => ({
    tools: Object.entries(tools).map(([name, { annotations, description, input }]) => ({
      name,
      description,
      annotations,
      inputSchema: jsonSchema(input, 'input'),
      outputSchema: jsonSchema(viewSchema, 'output'),
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params: { arguments: given, name } }, context) => {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    const names = Object.keys(tools).join(', ');
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}; there are: ${names}`);
    try {
      return await call(caller, tool, given, abilitiesOf(context), context);
    } catch (error) {
      const { detail, status } = problemOf(error);
      if (status === 500) caller.served.say(`MCP ${name}: ${(error as Error).stack}`);
      return { content: [{ type: 'text', text: detail }], isError: true };
    }
  });
  if (era === 'modern') serveTasks(mcp, caller, abilitiesOf);
  return mcp;
}

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io }) as { type: 'object'; [key: string]: unknown };

/**
 * Calls a tool, and tells of its run. Where the run waits for a person and the client has forms, the client fills them in and
 * calls again; it then brings the run's id with it, as the state of the request, and whichever server gets that goes on.
 */
async function call(
  caller: Caller,
  tool: Tool,
  args: unknown,
  abilities: ClientCapabilities,
  { mcpReq }: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { data: given, error } = tool.input.safeParse(args ?? {});
  if (error !== undefined) throw new HttpProblem(422, cutInMiddle(z.prettifyError(error), 2000, 1000));
  const known = mcpReq.requestState();
  const isAgain = typeof known === 'string';
  const run = isAgain ? known : await tool.act(given);
  assertReached(caller.access, run);
  const isSettled = !isAgain || (await settle(caller, run, mcpReq.inputResponses ?? {}));
  if (tool.starts && hasTasks(abilities))
    return { resultType: 'task', ...taskOf(await look(caller.served, run), {}) } as unknown as CallToolResult;
  const { progressToken } = mcpReq['_meta'] ?? {};
  const onEvent = async (event: RunEvent): Promise<void> => {
    const said = linesOf(event).join('\n');
    if (progressToken === undefined || said === '') return;
    const params = { progressToken, progress: event.seq, message: `${run}: ${said}` };
    await mcpReq.notify({ method: 'notifications/progress', params });
  };
  const fromStart = tool.starts === true && !isAgain;
  const view = await waited(caller.served, run, { seconds: given.wait, signal: mcpReq.signal, fromStart, onEvent });
  const inputRequests = given.wait > 0 && isSettled ? formsOf(view, abilities) : undefined;
  return inputRequests === undefined ? resultOf(view) : inputRequired({ inputRequests, requestState: run });
}
