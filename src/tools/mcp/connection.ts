import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import type { McpServer } from '../../config/tool-sources.ts';
import type { Environment } from '../../config/environment.ts';
import { redact } from '../../models/redact.ts';
import { version } from '../../version.ts';
import { SourceError } from '../tool.ts';
import type { Replaced } from '../../config/variables.ts';
import { replaced, withoutSecrets } from './variables.ts';

/** How long a server may take to start and to list its tools, in milliseconds. */
const startingMs = 20_000;

/** How long a running server may take to answer a ping, in milliseconds. */
const pingMs = 5000;

/** A connection to a server, with the tools that it listed when it was connected to. */
export interface Connection {
  client: Client;
  tools: McpTool[];
  /** Texts that must not appear in errors. */
  secrets: string[];
}

export interface ConnectSettings {
  /** The folder in which commands run. */
  folder: string;
  /** The folder for what servers print to stderr, a file for each server. */
  logs: string;
  /** The variables that `${NAME}` in a server's `env` and `headers` stands for. */
  environment: Environment;
  /** Called once when the connection has ended, whichever side ended it. */
  onClosed: () => void;
}

/** Starts a server, or connects to one, and asks for its tools. @throws `SourceError` */
export async function connect(server: McpServer, settings: ConnectSettings): Promise<Connection> {
  const given = replaced(server, settings.environment);
  const { secrets } = given;
  const client = new Client({ name: 'reprise', version });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  client.onclose = settings.onClosed;
  const options = { signal: AbortSignal.timeout(startingMs), timeout: startingMs };
  try {
    await open(client, server, given, settings, options);
    const tools = await listAll(client, options);
    if ('url' in server) watch(client);
    return { client, tools, secrets };
  } catch (error) {
    void client.close();
    const reason = redact(whyNot(server, error, settings), secrets);
    throw new SourceError([`the MCP server ${server.name}: ${reason}`], {
      cause: withoutSecrets(error, secrets),
    });
  }
}

type RequestOptions = Parameters<Client['ping']>[0];

async function open(
  client: Client,
  server: McpServer,
  { values }: Replaced,
  { folder, logs }: ConnectSettings,
  options: RequestOptions,
): Promise<void> {
  if ('url' in server) {
    // The types of the SDK are not written for exactOptionalPropertyTypes.
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: values },
    }) as Transport;
    return client.connect(transport, options);
  }
  mkdirSync(logs, { recursive: true });
  const stderr = openSync(logFile(logs, server), 'a');
  try {
    const { command, args } = server;
    // The transport adds the few variables that every program needs.
    const parameters = { command, args, env: values, cwd: folder, stderr };
    await client.connect(new StdioClientTransport(parameters), options);
  } finally {
    closeSync(stderr);
  }
}

const logFile = (logs: string, { name }: McpServer): string =>
  join(logs, `mcp-${name.replaceAll(/[^\w.-]/g, '_')}.log`);

/** Lists a server's tools except those that run only as tasks, which have no result to wait for. */
async function listAll(client: Client, options: RequestOptions): Promise<McpTool[]> {
  const all: McpTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools({ cursor }, options);
    all.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all.filter(({ execution }) => execution?.taskSupport !== 'required');
}

/** Closes the connection to an HTTP server that is gone, for which calls would otherwise wait until their timeout. */
function watch(client: Client): void {
  let asking = false;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  client.onerror = () => {
    if (asking) return;
    asking = true;
    void client
      .ping({ timeout: pingMs })
      .catch(() => client.close())
      .finally(() => {
        asking = false;
      });
  };
}

function whyNot(server: McpServer, error: unknown, { logs }: ConnectSettings): string {
  const { message, name, code, cause } = error as Error & { code?: string | number };
  const place = 'url' in server ? server.url : [server.command, ...server.args].join(' ');
  const late = name === 'TimeoutError' || code === ErrorCode.RequestTimeout;
  const log = 'url' in server ? '' : `; what it printed is in ${logFile(logs, server)}`;
  if (code === 'ENOENT' && 'command' in server) {
    return `there is no command "${server.command}"; name a program on the PATH of the worker, or its path`;
  }
  if (late) return `${place} does not answer within ${startingMs / 1000} seconds${log}`;
  if (code === ErrorCode.ConnectionClosed) {
    return `${place} ended before it named its tools; it must speak MCP over stdin and stdout${log}`;
  }
  return `${place} cannot be used: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}${log}`;
}
