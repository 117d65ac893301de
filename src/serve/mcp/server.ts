import {
  CLIENT_CAPABILITIES_META_KEY,
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
import { z } from 'zod';
import type { RunEvent } from '../../client.ts';
import { version } from '../../util/version.ts';
import { linesOf } from '../waiting.ts';
import { HttpProblem, problemOf } from '../problems.ts';
import { assertReached } from '../start.ts';
import { formsOf, hasTasks, resultOf, serveTasks, settle, taskOf, tasksExtension } from './tasks.ts';
import { toolsOf, type Caller, type Tool } from './tools.ts';
import { look, viewSchema } from './view.ts';
import { waited } from './wait.ts';

const instructions =
  'Teams of agents that go on by themselves, also when nobody waits for them: a run that takes longer than a request is ' +
  'found again by the tool status. What waits for a person is settled by the tool answer, after you have asked yours.';

/** How long a person may take to fill in a form for a client of the generation before, which keeps its request open. */
const roundTimeoutMs = 24 * 3600 * 1000;

/** An MCP server for one request, or for one connection. */
export function mcpServer(caller: Caller, { era }: McpRequestContext): McpServer {
  const capabilities = { tools: {}, ...(era === 'modern' && { extensions: { [tasksExtension]: {} } }) };
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
  if (error !== undefined) throw new HttpProblem(422, z.prettifyError(error));
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
