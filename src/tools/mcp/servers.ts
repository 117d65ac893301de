import { resolve } from 'node:path';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ErrorCode,
  McpError,
  type CallToolResult,
  type Tool as McpTool,
  type ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpServer } from '../../config/tool-sources.ts';
import { defaultTimeout } from '../definition.ts';
import { ToolError, type Tool } from '../tool.ts';
import { resultOfContent } from './content.ts';
import type { ShownByTool } from '../tool-images.ts';
import { connect, type Connection, type ConnectSettings } from './connection.ts';
import { withoutSecrets } from './variables.ts';
import type { ParameterSchema, ToolSpec } from '../../protocol/message.ts';
import type { SideEffects } from '../../protocol/tool.ts';
import { unreadable, withoutDialect } from '../parameters.ts';

/** Longer than any tool may run, since the tool's own timeout ends a call through its signal. */
const noTimeoutMs = 2 ** 31 - 1;

/** The MCP servers of a worker. Each is started when it is first needed, kept, and started again after a crash. */
export class McpServers {
  readonly #settings: Omit<ConnectSettings, 'onClosed'>;
  readonly #connections = new Map<string, Promise<Connection>>();

  constructor({ folder, logs, environment }: Omit<ConnectSettings, 'onClosed'>) {
    this.#settings = { folder: resolve(folder), logs, environment };
  }

  /** @throws `SourceError` if the server does not exist, lacks a variable, or does not answer in time */
  async tools(server: McpServer): Promise<Tool[]> {
    const { tools } = await this.#connection(server);
    return tools.map((tool) => ({
      spec: specOf(tool),
      sideEffects: sideEffectsOf(tool.annotations),
      onlyReads: tool.annotations?.readOnlyHint === true,
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
    // Agents that give its tools different timeouts share the server.
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
  ): Promise<string | ShownByTool> {
    for (let again = false; ; again = true) {
      const { client, secrets } = await this.#connection(server);
      try {
        const params = { name, arguments: args };
        const options = { signal, timeout: noTimeoutMs };
        const result = (await client.callTool(params, undefined, options)) as CallToolResult;
        if (result.isError) throw new ToolError(textOfContent(result));
        return resultOfContent(result.content, result.structuredContent);
      } catch (error) {
        if (!again && isUnknownSession(error)) await client.close();
        else throw withoutSecrets(explained(error, server), secrets);
      }
    }
  }
}

/** Whether a server does not know the session, since it was restarted. It has refused the call without running it. */
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

/** The text of what a tool of a server returned. */
export function textOfContent({ content, structuredContent }: CallToolResult): string {
  const result = resultOfContent(content, structuredContent);
  return typeof result === 'string' ? result : result.text;
}

/**
 * What running a server's tool twice would do, as far as its hints tell. The kind `none` is never used, since it allows a
 * local activity, and a call that leaves the worker may take too long for one.
 */
export function sideEffectsOf({ readOnlyHint, idempotentHint, destructiveHint }: ToolAnnotations = {}): SideEffects {
  if (readOnlyHint) return 'undeclared';
  if (idempotentHint) return 'idempotent';
  return readOnlyHint === false || destructiveHint ? 'once' : 'undeclared';
}

/** A server's tool as it is offered to a model. Models allow fewer characters in a name than servers do. */
export function specOf({ name, title, description, inputSchema }: McpTool): ToolSpec {
  return {
    name: name.replaceAll(/[^\w-]/g, '_').slice(0, 64),
    description: description ?? title ?? name,
    parameters: checkable(inputSchema),
  };
}

/** A schema to check arguments against. It lets through what zod cannot read, since the server checks it too. */
function checkable(inputSchema: McpTool['inputSchema']): ParameterSchema {
  const complete = { properties: {}, ...withoutDialect(inputSchema) } as unknown as ParameterSchema;
  if (unreadable(complete) === undefined) return complete;
  const { properties, required } = complete;
  const definitions = '$defs' in complete ? { $defs: complete.$defs } : {};
  const readable = Object.entries(properties).map(([name, property]) => {
    const alone = { type: 'object', properties: { [name]: property }, ...definitions };
    return [name, unreadable(alone) === undefined ? property : described(property)];
  });
  const lenient = {
    type: 'object' as const,
    properties: Object.fromEntries(readable) as Record<string, unknown>,
    ...(required && { required }),
  };
  const whole = { ...lenient, ...definitions };
  return unreadable(whole) === undefined ? whole : lenient;
}

const described = (property: unknown): object => ({
  description: (property as { description?: string } | null)?.description ?? '',
});
