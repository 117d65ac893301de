import { join, dirname } from 'node:path';
import {
  Client,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { AuthProvider, ConnectOptions, Tool as McpTool, Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Environment } from '../../util/environment.ts';
import { loginName } from '../../protocol/tools/login.ts';
import { printable } from '../../util/text/printable.ts';
import { redact } from '../../util/text/redact.ts';
import { secretsOf } from '../../trust/worker-secrets.ts';
import { toldBy } from '../../util/text/told.ts';
import { version } from '../../util/version.ts';
import { SourceError } from '../tool.ts';
import { Elicitations } from './elicitation.ts';
import { forgiving } from './forgiving.ts';
import { replaced, withoutSecrets, type Given } from './given.ts';
import { LoginNeeded, machineLogin, workerLogin } from './login-provider.ts';
import type { Logins } from './logins.ts';
import { hasResources } from './resources.ts';
import { ToolList } from './tool-list.ts';
import type { McpServer } from '../../protocol/settings.ts';
import { appendFileSync } from 'node:fs';
import type { Readable, Stream } from 'node:stream';
import { privateFolder, privateMode } from '../../util/private-files.ts';

/** How long a server may take to start and to list its tools, in milliseconds. */
const startingMs = 20_000;

export interface Connection {
  client: Client;
  /** Lists the server's tools, anew where they may have changed. */
  tools: () => Promise<McpTool[]>;
  elicitations: Elicitations;
  hasResources: boolean;
  secrets: () => string[];
  /** Those among them that no result may hold either: the agent has a login's tokens no more than its variables. */
  tokens: () => string[];
}

export interface ConnectSettings {
  folder: string;
  /** The folder for what servers print to stderr, a file for each server; if absent, that is not kept. */
  logs: string | undefined;
  /** The logins at servers that ask for one; if absent, such a server cannot be used. */
  logins?: Logins | undefined;
  /** The variables that `${NAME}` in a server's `env` and `headers` stands for. */
  environment: Environment;
  /** Called once when the connection has ended, whichever side ended it. */
  onClosed: () => void;
}

/** Starts a server, or connects to one, and asks for its tools. @throws `SourceError` */
export async function connect(server: McpServer, settings: ConnectSettings): Promise<Connection> {
  const given = replaced(server, settings.environment);
  // They are renewed while it is connected.
  const tokens = (): string[] => {
    const { tokens: kept } = 'url' in server && settings.logins ? settings.logins.read(server.url) : {};
    return [...given.tokens, kept?.access_token, kept?.refresh_token].filter((token) => token !== undefined);
  };
  const list = new ToolList();
  const elicitations = new Elicitations();
  const signal = AbortSignal.timeout(startingMs);
  const options = { signal, timeout: startingMs };
  const attempt = async (how: ConnectOptions, wire: Wire = StreamableHTTPClientTransport): Promise<Client> => {
    const client = new Client(
      { name: 'reprise', version },
      {
        capabilities: { elicitation: { form: {}, url: {} } },
        // A command that takes longer to say whether it speaks the newer generation is taken for an older one.
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: 10_000 } },
        inputRequired: { autoFulfill: false },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => list.forget() } },
      },
    );
    elicitations.serve(client);
    const transport = forgiving(transportTo(server, given, settings, wire));
    try {
      await client.connect(transport, how);
      await list.refresh(client, options);
      return client;
    } catch (error) {
      void client.close();
      // The client does not know of it before it has found out which generation the server speaks.
      void transport.close();
      throw error;
    }
  };
  try {
    const older = { ...options, prior: { kind: 'legacy' } } as const;
    const client = await attempt(options)
      .catch((error: unknown) => {
        if (signal.aborted || isNoCommand(error) || isRefused(error)) throw error;
        // Some servers of the older generation end, or fail, at a question that they do not know (the SDK's guide "Protocol
        // versions").
        return attempt(older);
      })
      .catch((error: unknown) => {
        if (!('url' in server) || !isOtherWire(error)) throw error;
        // It may speak as servers did before Streamable HTTP (specification 2025-11-25, "Backwards Compatibility").
        return attempt(older, SSEClientTransport).catch((second: unknown) => {
          throw isRefused(second) ? second : error;
        });
      });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    client.onclose = settings.onClosed;
    // Only the older generation knows pings; a call of the newer one ends with its own request.
    if ('url' in server && client.getProtocolEra() === 'legacy') watch(client);
    return {
      client,
      secrets: () => [...given.secrets, ...tokens()],
      tokens,
      elicitations,
      hasResources: await hasResources(client, signal),
      tools: () => list.current(client),
    };
  } catch (error) {
    if (error instanceof LoginNeeded) throw withoutLogin(server, error);
    const hidden = [...given.secrets, ...tokens()];
    const reason = redact(whyNot(server, error, settings, signal.aborted), hidden);
    throw new SourceError([`the MCP server ${server.name}: ${reason}`], { cause: withoutSecrets(error, hidden) });
  }
}

/** An error by which a run waits for a login, or by which it is refused before it begins. */
export const withoutLogin = ({ name }: McpServer, { message, url }: LoginNeeded): SourceError =>
  new SourceError([`the MCP server ${name}: ${message}`], { variable: loginName(url) });

/** Asks in the process itself whether it speaks the newer generation; the SDK would start another one to ask. */
class OneProcess extends StdioClientTransport {}

type Wire = typeof StreamableHTTPClientTransport | typeof SSEClientTransport;

function transportTo(
  server: McpServer,
  given: Given,
  { environment, folder, logins, logs }: ConnectSettings,
  Wire: Wire,
): Transport {
  if ('url' in server) {
    const authProvider = loginOf(server, given, logins);
    return new Wire(new URL(server.url), {
      fetch: limitedFetch,
      requestInit: { headers: given.values },
      ...(authProvider && { authProvider }),
    });
  }
  const { command, args } = server;
  const stderr = logs === undefined ? 'ignore' : 'pipe';
  // The transport adds the few variables that every program needs.
  const transport = new OneProcess({ command, args, env: given.values, cwd: folder, stderr });
  if (logs !== undefined)
    keepLog(transport.stderr, logFile(logs, server), [...secretsOf(environment), ...given.secrets]);
  return transport;
}

/** How a server is logged in at, if it should ask. One that has a key in its headers is not. */
function loginOf(
  server: Extract<McpServer, { url: string }>,
  { clientSecret, tokens, values }: Given,
  logins: Logins | undefined,
): AuthProvider | undefined {
  const { client_credentials: credentials, url } = server;
  if (credentials !== undefined && clientSecret !== undefined) {
    return machineLogin(url, { ...credentials, client_secret: clientSecret }, (token) => tokens.push(token));
  }
  const hasKey = Object.keys(values).some((name) => name.toLowerCase() === 'authorization');
  return logins === undefined || hasKey ? undefined : workerLogin(url, logins);
}

/** How much of one answer of a server over HTTP is read, in bytes. Over stdio the SDK reads a message of up to 10 MB. */
const maxBytes = 32_000_000;

/** A `fetch` by which no server can fill the memory: an answer that is longer ends with an error. */
const limitedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  let left = maxBytes;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0) controller.error(new Error(`the server answered with over ${maxBytes / 1_000_000} MB`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), response);
};

const logFile = (logs: string, { name }: McpServer): string =>
  join(logs, `mcp-${name.replaceAll(/[^\w.-]/g, '_')}.log`);

/** Closes the connection to an HTTP server that is gone, for which calls would otherwise wait until their timeout. */
function watch(client: Client): void {
  let asking = false;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  client.onerror = (trouble) => {
    // A server that refuses a request is there.
    if (asking || trouble instanceof SdkHttpError) return;
    asking = true;
    void client
      .ping({ timeout: 5000 })
      .catch(() => client.close())
      .finally(() => {
        asking = false;
      });
  };
}

const isNoCommand = (error: unknown): boolean => (error as { code?: unknown }).code === 'ENOENT';

const isOtherWire = (error: unknown): boolean =>
  error instanceof SdkHttpError && [400, 404, 405].includes(error.status ?? 0);

const isRefused = (error: unknown): boolean =>
  error instanceof LoginNeeded || (error instanceof SdkHttpError && (error.status === 401 || error.status === 403));

function whyNot(server: McpServer, thrown: unknown, { logs }: ConnectSettings, isLate: boolean): string {
  const { code } = thrown as { code?: string | number };
  const error = code === SdkErrorCode.EraNegotiationFailed ? ((thrown as Error).cause ?? thrown) : thrown;
  const { message, cause } = error as Error;
  const page = error instanceof SdkHttpError ? error.data['text'] : undefined;
  const said = typeof page === 'string' ? page : '';
  const place = 'url' in server ? server.url : [server.command, ...server.args].join(' ');
  const log = 'url' in server || logs === undefined ? '' : `; what it printed is in ${logFile(logs, server)}`;
  if (isNoCommand(thrown) && 'command' in server) {
    return `there is no command "${server.command}"; name a program on the PATH of the worker, or its path`;
  }
  if (isLate || code === SdkErrorCode.RequestTimeout) {
    return `${place} does not answer within ${startingMs / 1000} seconds${log}`;
  }
  if (code === SdkErrorCode.ConnectionClosed) {
    return `${place} ended before it named its tools; it must speak MCP over stdin and stdout${log}`;
  }
  const more = cause instanceof Error ? toldBy(cause) : message.includes(said) ? '' : said.slice(0, 300);
  return `${place} cannot be used: ${message}${more === '' ? '' : ` (${more})`}${log}`;
}

const longestLine = 10_000;

/** Appends to a file, line by line, what a server prints, without the secrets that it was given and may show. */
function keepLog(printed: Stream | null, file: string, secrets: readonly string[]): void {
  privateFolder(dirname(file));
  let begun = '';
  const write = (text: string): void => {
    if (text !== '') appendFileSync(file, redact(printable(text), secrets), { mode: privateMode.file });
  };
  (printed as Readable | null)
    ?.setEncoding('utf8')
    .on('data', (text: string) => {
      begun += text;
      const end = begun.length > longestLine ? begun.length : begun.lastIndexOf('\n') + 1;
      write(begun.slice(0, end));
      begun = begun.slice(end);
    })
    .on('end', () => write(begun));
}
