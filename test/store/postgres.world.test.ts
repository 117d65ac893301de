import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Blobs, isOutOfOrder } from '../../src/store/open-store.ts';
import { openPostgresStore, readPostgresStore } from '../../src/store/postgres.ts';
import { presentWorkflow } from '../../src/store/reference-rows.ts';
import type { ReplyCommit } from '../../src/store/store.ts';
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts';
import { storeContract } from './contract.ts';
import { firstWords } from '../support/first-words.ts';

const usage = { inputTokens: 3, cachedInputTokens: 1, outputTokens: 2 };
const commitOf = (key: string, said: string): ReplyCommit => ({
  key,
  inputHash: 'h',
  parent: null,
  messages: [{ role: 'assistant', content: said }],
  result: { reply: { content: said, calls: [], finish: 'stop' }, usage },
});

describe.skipIf(!hasPostgres('test/store/postgres.world.test.ts'))('on a real server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  /** Asks a database as its administrator would. */
  async function ask(url: string, sql: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  storeContract('PostgreSQL', async () => openPostgresStore(server.url));

  test('ten processes that find an empty database at once make one schema, and none fails', async () => {
    const url = server.database('empty');
    const script = fileURLToPath(new URL('./opener.ts', import.meta.url));
    const processes = Array.from({ length: 10 }, () => spawn(process.execPath, [script, url]));
    const said = processes.map(({ stdout }) => text(stdout));
    const failed = processes.map(({ stderr }) => text(stderr));
    await Promise.all(processes.map((each) => firstWords(each)));
    const ends = processes.map((each) => once(each, 'exit'));
    for (const { stdin } of processes) stdin.end();
    expect((await Promise.all(ends)).map(([code]) => code as number)).toEqual(processes.map(() => 0));
    expect(await Promise.all(failed)).toEqual(processes.map(() => ''));
    const ids = (await Promise.all(said)).map((lines) => lines.split('\n')[1]);
    expect(new Set(ids).size).toBe(1);
    expect(await ask(url, 'SELECT * FROM identity')).toEqual([{ id: ids[0], schema: 1 }]);
  });

  test('a database of a newer version is refused, and so is one with tables of somebody else', async () => {
    const newer = server.database('newer');
    await openPostgresStore(newer).close();
    const first = openPostgresStore(newer);
    await first.identity();
    await first.close();
    await ask(newer, 'UPDATE identity SET schema = 99');
    const store = openPostgresStore(newer);
    await expect(store.identity()).rejects.toThrow(
      `PostgreSQL at 127.0.0.1:${server.port}/newer was written by a newer Reprise (schema 99, this one knows 1)`,
    );
    await store.close();
    for (const [name, told] of [
      ['files', /"files" already exists.*a database of its own/],
      ['identity', /"schema" does not exist.*a database of its own/],
    ] as const) {
      const taken = server.database(`taken_${name}`);
      await ask(taken, `CREATE TABLE ${name} (name TEXT)`);
      const other = openPostgresStore(taken);
      await expect(other.identity()).rejects.toThrow(told);
      await other.close();
    }
  });

  test('a database whose encoding lacks characters is refused before anything is paid for', async () => {
    const admin = server.database('admin');
    await ask(admin, `CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0`);
    const store = openPostgresStore(admin.replace(/admin$/, 'latin'));
    await expect(store.identity()).rejects.toThrow(/latin has the encoding LATIN1.*Make one with UTF8: createdb/);
    await store.close();
  });

  test('of two workers that commit the same hundreds of keys at once, the first wins each, and both get what it wrote', async () => {
    const stores = [openPostgresStore(server.url), openPostgresStore(server.url)];
    const keys = Array.from({ length: 300 }, (_, index) => `race/${index}`);
    const [one = [], other = []] = await Promise.all(
      stores.map((store, worker) =>
        Promise.all(keys.map((key) => store.commitReply(commitOf(key, `${key} by ${worker}`)))),
      ),
    );
    expect(one).toEqual(other);
    expect(await Promise.all(keys.map((key) => stores[0]!.findReply(key, 'h')))).toEqual(one);
    const results = await Promise.all(
      stores.map((store, worker) =>
        Promise.all(keys.map((key) => store.commitToolResult(key, 'h', { status: 'ok', text: `${worker}` }))),
      ),
    );
    expect(results[0]).toEqual(results[1]);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('two workers that store the same objects in other orders do not hold one another up', async () => {
    const stores = [openPostgresStore(server.url), openPostgresStore(server.url)];
    const contents = Array.from({ length: 1000 }, (_, index) => new TextEncoder().encode(`raced ${index}`));
    await presentWorkflow.run('raced', async () => {
      const [ids, reversed] = await Promise.all([
        stores[0]!.putObjects(contents),
        stores[1]!.putObjects(contents.toReversed()),
      ]);
      expect(ids).toEqual(reversed.toReversed());
      expect(await stores[0]!.missingObjects(ids)).toEqual([]);
    });
    await Promise.all(stores.map((store) => store.close()));
  });

  test('connections that an administrator ends are replaced, and what was under way is out of order', async () => {
    const store = openPostgresStore(server.url);
    const work = Array.from({ length: 200 }, (_, index) =>
      store.commitReply(commitOf(`ended/${index}`, 'x')).catch((error: unknown) => error),
    );
    await ask(server.url, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    const results = await Promise.all(work);
    const errors = results.filter((result) => result instanceof Error);
    expect(errors.filter((error) => !isOutOfOrder(error))).toEqual([]);
    // What was committed although its connection ended is found, and what was not is committed now.
    for (let index = 0; index < 200; index++) {
      const again = await store.commitReply(commitOf(`ended/${index}`, 'x'));
      expect(again.reply.content).toBe('x');
    }
    await store.close();
  });

  test.each(['down', 'kill'] as const)(
    'while the server is away (%s) the store is out of order, and goes on when it is back with all that it had',
    async (how) => {
      const store = openPostgresStore(server.url);
      const first = await store.commitReply(commitOf(`away/${how}`, 'Kept.'));
      await server[how]();
      const asked = [() => store.findReply(`away/${how}`, 'h'), () => store.commitReply(commitOf(`away2/${how}`, 'x'))];
      for (const ask of asked) {
        const error: unknown = await ask().catch((thrown: unknown) => thrown);
        expect(isOutOfOrder(error)).toBe(true);
        expect(String(error)).toContain(`PostgreSQL at 127.0.0.1:${server.port}/reprise`);
        expect(String(error)).not.toContain(server.password);
      }
      await server.restart();
      await expect.poll(() => store.findReply(`away/${how}`, 'h').catch(() => undefined)).toEqual(first);
      await store.close();
    },
  );

  test('whoever shows a run reads its texts there, and does without them where the server is away', async () => {
    const url = server.database('shown');
    const store = openPostgresStore(url);
    const id = await store.putBlob('A long text.');
    await store.close();
    const blobs = new Blobs('/no/home', { DATABASE_URL: url });
    expect(await blobs.read(id)).toBe('A long text.');
    expect(await blobs.read('unknown')).toBeUndefined();
    await blobs.close();
    const away = new Blobs('/no/home', { DATABASE_URL: 'postgres://reprise@127.0.0.1:1/none' });
    expect(await away.read(id)).toBeUndefined();
    await away.close();
  });

  test('a store that is read is left as it is', async () => {
    const url = server.database('untouched');
    const store = readPostgresStore(url);
    await expect(store.blob('x')).rejects.toThrow(/"blobs" does not exist/);
    await store.close();
    expect(await ask(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });
});

describe('an address', () => {
  test.each([
    ['mysql://user:a-password@host/db', 'does not begin with postgres://'],
    ['postgres://user:a-password@host:port/db', 'DATABASE_URL is not of the form'],
    ['postgres://user:a-password@host/db?sslmode=verify-full&sslrootcert=/none/ca.pem', '/none/ca.pem'],
  ])('that cannot be is refused without its password: %s', async (url, reason) => {
    const store = openPostgresStore(url);
    const error: unknown = await store.identity().catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(reason);
    expect(String((error as Error).stack)).not.toContain('a-password');
    expect(JSON.stringify(error)).not.toContain('a-password');
    await store.close();
  });
});
