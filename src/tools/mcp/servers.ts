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
import { ToolError, type Tool } from '../tool.ts';
import type { ToolRegistrySettings } from '../tool-registry.ts';
import { connect, type Connection, type ConnectSettings } from './connection.ts';
import { textOfContent } from './content.ts';
import { sideEffectsOf, specOf } from './listed.ts';
import { withoutSecrets } from './variables.ts';

/** Longer than any tool may run: its own timeout ends a call, by its signal. */
const noTimeoutMs = 2 ** 31 - 1;

/** The MCP servers of a worker: each is started when it is first needed, kept, and started again after a crash. */
export class McpServers {
  readonly #settings: Omit<ConnectSettings, 'onClosed'>;
  readonly #connections = new Map<string, Promise<Connection>>();

  constructor({ folder, logs, environment }: ToolRegistrySettings) {
    this.#settings = { folder: resolve(folder), logs, environment };
  }

  /** @throws `SourceError` where the server does not exist, lacks a variable, or does not answer in time */
  async tools(server: McpServer): Promise<Tool[]> {
    const { tools } = await this.#connection(server);
    return tools.map((tool) => ({
      spec: specOf(tool),
      sideEffects: sideEffectsOf(tool.annotations),
      timeout: server.timeout ?? defaultTimeout,
      run: (args, { signal }) => this.#call(server, tool, args, signal),
    }));
  }

  /** Ends all servers that were started, and waits until they are gone. */
  async close(): Promise<void> {
    const open = [...this.#connections.values()];
    this.#connections.clear();
    await Promise.allSettled(open.map(async (connection) => (await connection).client.close()));
  }

  #connection(server: McpServer): Promise<Connection> {
    // Agents that grant its tools different times share the server.
    const key = JSON.stringify({ ...server, timeout: undefined });
    const known = this.#connections.get(key);
    if (known !== undefined) return known;
    const forget = (): void => {
      if (this.#connections.get(key) === connection) this.#connections.delete(key);
    };
    const connection = connect(server, { ...this.#settings, onClosed: forget });
    this.#connections.set(key, connection);
    connection.catch(forget);
    return connection;
  }

  async #call(
    server: McpServer,
    { name }: McpTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<string> {
    for (let again = false; ; again = true) {
      const { client, secrets } = await this.#connection(server);
      try {
        const params = { name, arguments: args };
        const options = { signal, timeout: noTimeoutMs };
        const result = (await client.callTool(params, undefined, options)) as CallToolResult;
        if (result.isError) throw new ToolError(textOfContent(result));
        return textOfContent(result);
      } catch (error) {
        if (!again && isUnknownSession(error)) await client.close();
        else throw withoutSecrets(explained(error, server), secrets);
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
