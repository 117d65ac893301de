import { resolve } from 'node:path';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, type Client } from '@modelcontextprotocol/client';
import { defaultTimeout } from '../read-definitions.ts';
import { secretsGiven, withoutSecretsIn } from '../../trust/worker-secrets.ts';
import { InputNeeded, type CallContext, type Tool } from '../tool.ts';
import { callServer } from './call.ts';
import { connect, withoutLogin, type Connection, type ConnectSettings } from './connection.ts';
import { withoutSecrets } from './given.ts';
import { argumentsFor, sideEffectsOf, specOf } from './tool-list.ts';
import { LoginNeeded } from './login-provider.ts';
import { resourceTools } from './resources.ts';
import type { McpServer } from '../../protocol/settings.ts';

/** The MCP servers of a worker. Each is started when it is first needed, kept, and started again after a crash. */
export class McpServers {
  readonly #settings: Omit<ConnectSettings, 'onClosed'>;
  readonly #connections = new Map<string, Promise<Connection>>();
  readonly #calls = new Map<Connection, number>();
  /** Connections that are used no more, which stay open for the calls that they have under way. */
  readonly #retired = new Set<Connection>();

  constructor({ folder, ...settings }: Omit<ConnectSettings, 'onClosed'>) {
    this.#settings = { ...settings, folder: resolve(folder) };
  }

  /** @throws `SourceError` if the server does not exist, lacks a variable, or does not answer in time */
  async tools(server: McpServer): Promise<Tool[]> {
    const { hasResources, tokens, tools } = await this.#connection(server);
    const given = [...tokens(), ...secretsGiven(server, this.#settings.environment)];
    const own = (await tools()).map((tool) => ({
      spec: withoutSecretsIn(specOf(tool), given),
      sideEffects: sideEffectsOf(tool.annotations),
      onlyReads: tool.annotations?.readOnlyHint === true,
      timeout: server.timeout ?? defaultTimeout,
      run: (args: Record<string, unknown>, context: CallContext) =>
        this.#use(server, ({ client, elicitations }) =>
          callServer({ client, elicitations, tool, args: argumentsFor(tool, args), context }),
        ),
    }));
    if (!hasResources) return own;
    const use = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
      this.#use(server, ({ client }) => work(client));
    const taken = new Set(own.map(({ spec }) => spec.name));
    return [...own, ...resourceTools(server, use).filter(({ spec }) => !taken.has(spec.name))];
  }

  async close(): Promise<void> {
    const open = [...this.#connections.values()];
    this.#connections.clear();
    const all = [...open, ...this.#retired];
    await Promise.allSettled(all.map(async (connection) => (await connection).client.close()));
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

  /** Does work on a server's connection, once more on a new one where the server has refused it without doing it. */
  async #use<T>(server: McpServer, work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let again = false; ; again = true) {
      const opening = this.#connection(server);
      const connection = await opening;
      this.#calls.set(connection, (this.#calls.get(connection) ?? 0) + 1);
      try {
        const done = await work(connection);
        return done instanceof InputNeeded ? done : withoutSecretsIn(done, connection.tokens());
      } catch (error) {
        if (error instanceof LoginNeeded) throw withoutLogin(server, error);
        if (again || !wasRefused(error)) throw withoutSecrets(explained(error, server), connection.secrets());
        this.#retire(opening, connection);
      } finally {
        await this.#callEnded(connection);
      }
    }
  }

  /** Has later calls begin a connection of their own. The calls under way may get their replies all the same. */
  #retire(opening: Promise<Connection>, connection: Connection): void {
    for (const [key, known] of this.#connections) if (known === opening) this.#connections.delete(key);
    this.#retired.add(connection);
  }

  async #callEnded(connection: Connection): Promise<void> {
    const left = (this.#calls.get(connection) ?? 1) - 1;
    if (left > 0) return void this.#calls.set(connection, left);
    this.#calls.delete(connection);
    if (this.#retired.delete(connection)) await connection.client.close();
  }
}

/** Whether a server does not know the session, since it was restarted, or has changed what a call's headers must say. */
const wasRefused = (error: unknown): boolean =>
  error instanceof SdkHttpError
    ? error.status === 404 || error.status === 400
    : // `HeaderMismatch` of the specification 2026-07-28. The SDK gives it no name.
      error instanceof ProtocolError && error.code === -32020;

function explained(error: unknown, { name }: McpServer): unknown {
  if (!(error instanceof SdkError) || error.code !== SdkErrorCode.ConnectionClosed) return error;
  return new Error(
    `the MCP server ${name} ended during the call, which may or may not have taken effect; ` +
      'the next call starts it again',
  );
}
