import { resolve } from 'node:path';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ErrorCode,
  McpError,
  type CallToolResult,
  type Tool as McpTool,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpServer } from '../../config/backend.ts';
import { defaultTimeout } from '../definition.ts';
import { ToolError, type Tool, type ToolContext } from '../tool.ts';
import { connect, type Connection } from './connection.ts';
import { textOfContent } from './content.ts';
import { sideEffectsOf, specOf } from './listed.ts';

/** Longer than any tool may run: its own timeout ends a call, by its signal. */
const noTimeoutMs = 2 ** 31 - 1;

/** The MCP servers of a worker: each is started when it is first needed, kept, and started again after a crash. */
export class McpServers {
  readonly #folder: string;
  readonly #logs: string;
  readonly #connections = new Map<string, Promise<Connection>>();

  constructor(folder: string, logs: string) {
    this.#folder = resolve(folder);
    this.#logs = logs;
  }

  /** @throws `SourceError` where the server does not exist, or does not answer in time */
  async tools(server: McpServer): Promise<Tool[]> {
    const { tools } = await this.#connection(server);
    return tools.map((tool) => ({
      spec: specOf(tool),
      sideEffects: sideEffectsOf(tool.annotations),
      timeout: defaultTimeout,
      run: (args, context) => this.#run(server, tool, args, context),
    }));
  }

  /** Ends all servers that were started, and waits until they are gone. */
  async close(): Promise<void> {
    const open = [...this.#connections.values()];
    this.#connections.clear();
    await Promise.allSettled(open.map(async (connection) => (await connection).client.close()));
  }

  #connection(server: McpServer): Promise<Connection> {
    const key = JSON.stringify(server);
    const known = this.#connections.get(key);
    if (known !== undefined) return known;
    const forget = (): void => {
      if (this.#connections.get(key) === connection) this.#connections.delete(key);
    };
    const connection = connect(server, { folder: this.#folder, logs: this.#logs, onClosed: forget });
    this.#connections.set(key, connection);
    connection.catch(forget);
    return connection;
  }

  async #run(
    server: McpServer,
    tool: McpTool,
    args: Record<string, unknown>,
    { signal }: ToolContext,
  ): Promise<string> {
    const result = await this.#call(server, tool, args, signal);
    const text = textOfContent(result);
    if (result.isError) throw new ToolError(text);
    return text;
  }

  async #call(
    server: McpServer,
    { name }: McpTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    for (let again = false; ; again = true) {
      const { client } = await this.#connection(server);
      try {
        const params = { name, arguments: args };
        const options = { signal, timeout: noTimeoutMs };
        return (await client.callTool(params, undefined, options)) as CallToolResult;
      } catch (error) {
        if (!again && isUnknownSession(error)) await client.close();
        else throw explained(error, server);
      }
    }
  }
}

/** What a server answers that was started anew: it refuses the call without running it. */
const isUnknownSession = (error: unknown): boolean =>
  error instanceof StreamableHTTPError && (error.code === 404 || error.code === 400);

function explained(error: unknown, { name }: McpServer): unknown {
  const closed: number = ErrorCode.ConnectionClosed;
  if (!(error instanceof McpError) || error.code !== closed) return error;
  return new Error(
    `the MCP server ${name} ended during the call, which may or may not have taken effect; ` +
      'the next call starts it again',
  );
}
