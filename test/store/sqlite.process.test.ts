import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/store/database.ts';
import { isOutOfOrder } from '../../src/store/open-store.ts';
import { openSqliteStore, SqliteDatabase } from '../../src/store/sqlite.ts';
import { storeContract } from './contract.ts';
import { firstWords } from '../support/first-words.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const writer = fileURLToPath(new URL('./writer.ts', import.meta.url));

storeContract('SQLite', async () => openSqliteStore(join(folder, 'new', 'folder', 'store.sqlite')));

describe('SQLite', () => {
  test('two processes write to one file at once, and every commit is whole', async () => {
    const file = join(folder, 'shared.sqlite');
    const writers = ['one', 'two'].map((name) => spawn(process.execPath, [writer, file, name, '100']));
    const codes = await Promise.all(writers.map(async (child) => (await once(child, 'exit'))[0] as number));
    expect(codes).toEqual([0, 0]);
    const store = openSqliteStore(file);
    for (const name of ['one', 'two']) {
      const last = await store.findReply(`${name}/99`, 'h');
      expect(await store.messages(last?.transcript.id ?? '')).toHaveLength(200);
    }
    await store.close();
  });

  test('a writer that is killed leaves no half segment', async () => {
    const file = join(folder, 'killed.sqlite');
    const child = spawn(process.execPath, [writer, file, 'killed', '100000']);
    await firstWords(child);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const database = new DatabaseSync(file);
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const counts = database
      .prepare('SELECT (SELECT count(*) FROM segments) AS segments, (SELECT count(*) FROM replies) AS replies')
      .get();
    expect(counts?.['segments']).toBe(counts?.['replies']);
    expect(counts?.['segments']).toBeGreaterThan(0);
    database.close();
  });

  test('a file of a newer version is refused', async () => {
    const file = join(folder, 'newer.sqlite');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => openSqliteStore(file)).toThrow(/newer Reprise \(schema 99/);
  });

  test('what a transaction has written is not read before it is committed, nor is it mixed with another one', async () => {
    const file = join(folder, 'apart.sqlite');
    await openSqliteStore(file).close();
    const database = new SqliteDatabase(new DatabaseSync(file), new DatabaseSync(file));
    const insert = (sql: Sql, name: string) => sql.run('INSERT INTO secrets VALUES (?, ?)', name, 'v');
    const count = async (sql: Sql) => Number((await sql.get('SELECT count(*) AS count FROM secrets'))?.['count']);
    const seen: number[] = [];
    const writes = ['a', 'b'].map((name) =>
      database.write(async (sql) => {
        await insert(sql, `${name}1`);
        seen.push(await database.read(count));
        await insert(sql, `${name}2`);
        seen.push(await count(sql));
      }),
    );
    await Promise.all(writes);
    // The second one writes in the same transaction, after the first.
    expect(seen).toEqual([0, 2, 0, 4]);
    await database.close();
  });

  test('of many writes at once, one that fails takes back what it has written, and none of the others', async () => {
    const file = join(folder, 'many.sqlite');
    await openSqliteStore(file).close();
    const database = new SqliteDatabase(new DatabaseSync(file), new DatabaseSync(file));
    const names = Array.from({ length: 120 }, (_, index) => `name ${index}`);
    const ends = await Promise.allSettled(
      names.map((name, index) =>
        database.write(async (sql) => {
          await sql.run('INSERT INTO secrets VALUES (?, ?)', name, 'v');
          if (index % 10 === 3) throw new Error(`${name} fails`);
          return name;
        }),
      ),
    );
    const rows = await database.read((sql) => sql.all('SELECT name FROM secrets'));
    const kept = rows.map(({ name }) => String(name));
    const done = names.filter((_, index) => index % 10 !== 3);
    expect(kept.toSorted()).toEqual(done.toSorted());
    expect(ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))).toEqual(done);
    expect(ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))[0]).toBe(
      'Error: name 3 fails',
    );
    await database.close();
  });

  test('a full disk leaves nothing half written, is known for what it is, and is over when there is room again', async () => {
    const file = join(folder, 'full.sqlite');
    const writing = new DatabaseSync(file);
    writing.exec('CREATE TABLE texts (text TEXT); PRAGMA max_page_count = 10');
    const database = new SqliteDatabase(writing, new DatabaseSync(file));
    const write = (text: string): Promise<number> =>
      database.write((sql) => sql.run('INSERT INTO texts VALUES (?)', text));
    const error: unknown = await write('x'.repeat(100_000)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: 'database or disk is full' });
    expect(isOutOfOrder(error)).toBe(true);
    writing.exec('PRAGMA max_page_count = 1000');
    await write('y'.repeat(100_000));
    const letters = await database.read((sql) => sql.all('SELECT substr(text, 1, 1) AS letter FROM texts'));
    expect(letters).toEqual([{ letter: 'y' }]);
    await database.close();
  });

  test('writes wait their turn, so that those that find the file locked do not hold up the process', async () => {
    const file = join(folder, 'turns.sqlite');
    const store = openSqliteStore(file);
    const locker = spawn(process.execPath, [fileURLToPath(new URL('./locker.ts', import.meta.url)), file]);
    await firstWords(locker);
    const order: number[] = [];
    const writes = Array.from({ length: 10 }, async (_, index) => {
      await store.putBlob(`text ${index}`);
      order.push(index);
    });
    expect(await store.findReply('none', 'h')).toBeUndefined();
    locker.stdin.end();
    await Promise.all(writes);
    expect(order).toEqual(Array.from({ length: 10 }, (_, index) => index));
    await store.close();
  });
});

describe('the file of an open store', () => {
  const trouble = async (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => expect.unreachable(),
      (error: Error) => error,
    );

  test.each(['deleted', 'replaced'])(
    'that is %s is named for reading and writing, and is used again when it is back',
    async (how) => {
      const file = join(folder, `${how}.sqlite`);
      const store = openSqliteStore(file);
      const id = await store.putBlob('first');
      renameSync(file, `${file}.aside`);
      if (how === 'replaced') writeFileSync(file, 'another file');
      for (const work of [store.blob(id), store.putBlob('second')]) {
        const error = await trouble(work);
        expect(error.message).toContain(`The store ${file} was ${how}`);
        expect(isOutOfOrder(error)).toBe(true);
      }
      renameSync(`${file}.aside`, file);
      expect(await store.blob(await store.putBlob('second'))).toBe('second');
      await store.close();
    },
  );

  test('that is overwritten with something else is called damaged', async () => {
    const file = join(folder, 'damaged.sqlite');
    const store = openSqliteStore(file);
    const ids = await Promise.all(
      Array.from({ length: 50 }, (_, index) => store.putBlob(`${index}${'x'.repeat(20_000)}`)),
    );
    await store.close();
    const damaged = openSync(file, 'r+');
    for (let page = 1; page < 200; page++) writeSync(damaged, Buffer.alloc(4000, 0xee), 0, 4000, page * 4096);
    closeSync(damaged);
    async function reopened(): Promise<void> {
      const again = openSqliteStore(file);
      try {
        await Promise.all(ids.map((id) => again.blob(id)));
      } finally {
        await again.close();
      }
    }
    const error = await trouble(reopened());
    expect(error.message).toMatch(/is damaged|malformed|not a database/);
  });
});
