import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import type { PostgresServer } from '../../test/support/postgres.ts';
import { limitFiles, type TestedStore } from './store.ts';

export interface PostgresTestedStore extends TestedStore {
  /** The URL of the database at another port, such as a proxy's. */
  urlAt(port: number): string;
  /** How many schemas have the tables of a store. @throws `Error` where they were made twice in one */
  schemas(): Promise<number>;
}

/** The store of workers in the database `reprise` of a PostgreSQL server. */
export function postgresStore(server: PostgresServer): PostgresTestedStore {
  const settings = { connectionString: server.url, statement_timeout: 5000, connectionTimeoutMillis: 5000 };
  const urlAt = (port: number): string => server.url.replace(`:${server.port}/`, `:${port}/`);
  const rowsOf = <Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    withClient(settings, async (client) => (await client.query<Row>(sql, values)).rows);
  return {
    variables: { DATABASE_URL: server.url },
    urlAt,
    server: { kill: () => server.kill(), start: () => server.restart() },
    replies: (known) =>
      rowsOf<{ key: string; result: string }>('SELECT key, result FROM replies WHERE key <> ALL ($1::text[])', [
        [...known],
      ]),
    async lock() {
      const client = new Client(server.url);
      client.on('error', () => {});
      await client.connect();
      // The first worker that needs the store makes its tables.
      while ((await client.query(storesFound)).rowCount === 0) await pause(500);
      await client.query('BEGIN; LOCK TABLE replies, segments, tool_results IN ACCESS EXCLUSIVE MODE');
      return () => client.end();
    },
    async fill() {
      limitFiles(processesOf(server.pid()), '1024');
      return async () => {
        limitFiles(processesOf(server.pid()), 'unlimited');
        // A server that cannot write its log of changes ends itself.
        if (server.pid() === undefined) await server.restart();
      };
    },
    async schemas() {
      const { length } = await rowsOf('SELECT id FROM identity');
      if (length !== 1) throw new Error(`The store has ${length} identities`);
      return (await rowsOf(storesFound)).length;
    },
  };
}

const storesFound = `SELECT table_schema FROM information_schema.tables WHERE table_name = 'replies'`;

async function withClient<T>(settings: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(settings);
  // A server that is killed tells whoever waits for it.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The ids of a process and of those that it has started. */
function processesOf(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return [pid, ...stdout.split('\n').map(Number).filter(Boolean)];
}
