import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { isOutOfOrder, SqliteStatements } from '../../src/store/sqlite-statements.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { storeContract } from './contract.ts';

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
    await once(child.stdout, 'data');
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

  test('a file of the first version, without a journal of tools, reports and files, is brought up with all that it holds', async () => {
    const file = join(folder, 'older.sqlite');
    const first = openSqliteStore(file);
    const blob = await first.putBlob('Kept.');
    await first.close();
    const database = new DatabaseSync(file);
    database.exec(
      `DROP TABLE tool_results; DROP TABLE reports; DROP TABLE files; DROP TABLE file_runs; DROP TABLE tries;
       DROP TABLE results; DROP TABLE objects; DROP TABLE checkpoints;
       CREATE TABLE spent (key TEXT PRIMARY KEY, usage TEXT NOT NULL) WITHOUT ROWID;
       INSERT INTO spent VALUES ('run/model-1', '{"inputTokens":1,"cachedInputTokens":0,"outputTokens":2}');
       PRAGMA user_version = 1`,
    );
    database.close();
    const store = openSqliteStore(file);
    await store.commitToolResult('run/tool-1', 'h', { status: 'ok', text: 'Journalled.' });
    expect(await store.findToolResult('run/tool-1', 'h')).toEqual({ status: 'ok', text: 'Journalled.' });
    expect(await store.reports(10)).toEqual([]);
    expect(await store.files('w')).toEqual([]);
    expect(await store.blob(blob)).toBe('Kept.');
    const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 2 };
    expect(await store.spent(['run/model-1'])).toEqual(new Map([['run/model-1', usage]]));
    await store.close();
  });

  test('a file of a newer version is refused', async () => {
    const file = join(folder, 'newer.sqlite');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => openSqliteStore(file)).toThrow(/newer Reprise \(schema 99/);
  });

  test('a full disk leaves nothing half written, is known for what it is, and is over when there is room again', async () => {
    const database = new DatabaseSync(join(folder, 'full.sqlite'));
    database.exec('CREATE TABLE texts (text TEXT); PRAGMA max_page_count = 10');
    const sql = new SqliteStatements(database);
    const write = (text: string): Promise<void> => sql.write(() => sql.run('INSERT INTO texts VALUES (?)', text));
    const error: unknown = await write('x'.repeat(100_000)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: 'database or disk is full' });
    expect(isOutOfOrder(error)).toBe(true);
    database.exec('PRAGMA max_page_count = 1000');
    await write('y'.repeat(100_000));
    expect(await sql.read(() => sql.all('SELECT substr(text, 1, 1) AS letter FROM texts'))).toEqual([{ letter: 'y' }]);
    await sql.close();
  });

  test('writes wait their turn, so that those that find the file locked do not hold up the process', async () => {
    const file = join(folder, 'turns.sqlite');
    const store = openSqliteStore(file);
    const locker = spawn(process.execPath, [fileURLToPath(new URL('./locker.ts', import.meta.url)), file]);
    await once(locker.stdout, 'data');
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
