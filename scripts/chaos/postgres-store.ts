import { spawnSync } from 'node:child_process';
import { Client, type ClientConfig } from 'pg';
import type { PostgresServer } from '../cluster/postgres.ts';
import { limitFiles, type TestedStore } from './store.ts';

export interface PostgresTestedStore extends TestedStore {
  /** The URL of the database at another port, such as a proxy's. */
  urlAt(port: number): string;
  /** How many schemas have the tables of a store. @throws `Error` where a migration was made twice */
  schemas(): Promise<number>;
}

/** A database of its own on a PostgreSQL server, for the store of the workers. */
export async function postgresStore(server: PostgresServer, database: string): Promise<PostgresTestedStore> {
  const { port, user } = server;
  const place = { host: '127.0.0.1', port, user };
  await withClient({ ...place, database: 'postgres' }, (client) => client.query(`CREATE DATABASE ${database}`));
  const settings = { ...place, database, statement_timeout: 5000, connectionTimeoutMillis: 5000 };
  const urlAt = (other: number): string => `postgres://${user}@127.0.0.1:${other}/${database}`;
  const rowsOf = <Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    withClient(settings, async (client) => (await client.query<Row>(sql, values)).rows);
  return {
    variables: { DATABASE_URL: urlAt(port) },
    urlAt,
    server: { kill: server.kill, start: server.start },
    replies: (known) =>
      rowsOf<{ key: string; result: string }>('SELECT key, result FROM replies WHERE key <> ALL ($1::text[])', [
        [...known],
      ]),
    async lock() {
      const client = new Client({ ...place, database });
      client.on('error', () => {});
      await client.connect();
      await client.query('BEGIN; LOCK TABLE replies, segments, tool_results IN ACCESS EXCLUSIVE MODE');
      return () => client.end();
    },
    async fill() {
      limitFiles(processesOf(server.pid()), '1024');
      return async () => {
        limitFiles(processesOf(server.pid()), 'unlimited');
        // A server that cannot write its log of changes ends itself.
        await server.start();
      };
    },
    async schemas() {
      const names = await rowsOf<{ name: string }>('SELECT name FROM reprise_migrations');
      if (new Set(names.map(({ name }) => name)).size !== names.length)
        throw new Error(`Migrations were made twice: ${names.map(({ name }) => name).join(', ')}`);
      const found = await rowsOf(`SELECT table_schema FROM information_schema.tables WHERE table_name = 'replies'`);
      return found.length;
    },
    async close() {},
  };
}

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
