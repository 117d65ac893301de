import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { queryTable } from '../../../src/tools/attachments/query.ts';
import answer, { type TableQuery } from '../../../src/tools/attachments/query-thread.ts';

const sales = [
  'Region,Product,Amount,Price,Day',
  'North,Tea,"1,234.50",€ 2,2024-01-05',
  'south,Coffee,3,€ 3,2024-01-20',
  'North,Coffee,,n/a,2024-02-01',
  'South,tea,200,€ 1,',
].join('\n');
const declared = 'data("Region" TEXT, "Product" TEXT, "Amount" REAL, "Price" TEXT, "Day" TEXT)';
const over = (sql: string): TableQuery => ({ text: sales, kind: 'table', mediaType: 'text/csv', sql });
const ask = (sql: string, changed: Partial<TableQuery> = {}, signal = new AbortController().signal) =>
  queryTable({ ...over(sql), ...changed }, signal);
/** The same without a process of its own, which takes 0.3 s of the processor and tells the answer as it is. */
const here = (sql: string, changed: Partial<TableQuery> = {}) => answer({ ...over(sql), ...changed }, () => {});
const refusal = (message: RegExp | string): unknown =>
  expect.objectContaining({ name: 'ToolError', message: expect.stringMatching(message) });

describe('a query', () => {
  test('filters, groups, computes and sorts, and its result says what the table is', async () => {
    const sql =
      'SELECT lower("Region") AS region, count(*), sum("Amount") FROM data WHERE "Day" IS NULL OR "Day" < \'2024-02-01\' ' +
      'GROUP BY 1 ORDER BY 3 DESC;\n';
    expect(await ask(sql)).toEqual({
      table: declared,
      table_rows: 4,
      numbers:
        'in "Price" € 2 is no plain number, so that sum, avg and CAST take it for 0 or the digits it begins with',
      columns: ['region', 'count(*)', 'sum("Amount")'],
      rows: [
        ['north', 1, 1234.5],
        ['south', 2, 203],
      ],
    });
  });

  test('goes over more than two million rows', async () => {
    const text = `a,b\n${Array.from({ length: 2_200_000 }, (_, row) => `${row % 1000},${row % 7}\n`).join('')}`;
    expect((await ask('SELECT sum(a) FROM data', { text })).rows).toEqual([[1_098_900_000]]);
  });

  test('may begin with WITH, or with a comment', async () => {
    const sql = '-- Dear\nWITH t AS (SELECT "Product" AS p FROM data) SELECT count(DISTINCT p) FROM t -- all';
    expect((await here(sql)).rows).toEqual([[3]]);
  });

  test('keeps columns apart that are called the same', async () => {
    const sql = 'SELECT a."Product", b."Product" FROM data a JOIN data b ON a."Amount" > b."Amount" LIMIT 1';
    expect(await here(sql)).toMatchObject({ columns: ['Product', 'Product'], rows: [['Tea', 'Coffee']] });
  });

  test('finds columns by any name, also by one that SQL would not take', async () => {
    const text = 'a "b",a "b",,drop table data;--\n1,2,3,4\n5,6,7,8,9\n';
    const { table, rows } = await here('SELECT "a ""b""_2", "column_5" FROM data', { text });
    expect(table).toBe(
      'data("a ""b""" REAL, "a ""b""_2" REAL, "column_3" REAL, "drop table data;--" REAL, "column_5" REAL)',
    );
    expect(rows).toEqual([
      [2, null],
      [6, 9],
    ]);
  });

  test('goes over JSON records, too', async () => {
    const text = '{"name": "Ada", "age": 36, "tags": ["x"]}\n{"name": "Bob", "age": 41}\n';
    const json = { text, kind: 'json', mediaType: 'application/jsonl' } as const;
    expect(await here('SELECT "name", "age", "tags" ->> 0 FROM data', json)).toMatchObject({
      table: 'data("name" TEXT, "age" REAL, "tags" TEXT)',
      rows: [
        ['Ada', 36, 'x'],
        ['Bob', 41, null],
      ],
    });
  });

  test('has the digits that a double holds: 0.1 + 0.2 is 0.3; bytes are counted', async () => {
    expect((await here("SELECT 0.1 + 0.2, x'0102'")).rows).toEqual([[0.3, '(2 bytes)']]);
  });

  test('says how many rows there are beyond 200', async () => {
    const text = `a,b\n${'1,2\n'.repeat(1500)}`;
    const { rows, note } = await here('SELECT * FROM data', { text });
    expect(rows).toHaveLength(200);
    expect(note).toMatch(/^the first 200 of 1,500 rows; at most 200, and 20,000 characters, are shown$/);
  });

  test('says how many columns there are beyond 2,000, which is what SQLite takes', async () => {
    const columns = Array.from({ length: 2500 }, (_, index) => `c${index + 1}`);
    const text = `${columns.join(',')}\n${columns.map((_, index) => index + 1).join(',')}\n`;
    const { note, rows } = await here('SELECT c1, c2000 FROM data', { text });
    expect({ note, rows }).toEqual({
      note: 'of the 2,500 columns of data the first 2,000 are read',
      rows: [[1, 2000]],
    });
  });

  test('shows no more than 20,000 characters, and of a cell no more than 5,000', async () => {
    const text = `a,b\n${`x,${'y'.repeat(990)}\n`.repeat(40)}`;
    const { rows, note } = await here('SELECT * FROM data', { text });
    expect(JSON.stringify(rows).length).toBeLessThanOrEqual(20_100);
    expect(note).toMatch(new RegExp(`^the first ${rows.length} of 40 rows;`));
    const long = await here("SELECT hex(zeroblob(1000000)), 'end'");
    expect(long.rows).toEqual([[expect.stringMatching(/^0{5000}… \(2,000,000 characters\)$/), 'end']]);
  });
});

describe('a query that fails is a report with what the table is', () => {
  test.each([
    ['an unknown column', 'SELECT "Regoin" FROM data', 'no such column: "?Regoin'],
    ['an unknown table', 'SELECT * FROM sales', 'no such table: sales'],
    ['no SQL', 'What is the sum?', 'syntax error'],
  ])('%s', async (_, sql, message) => {
    const failed = ask(sql);
    await expect(failed).rejects.toEqual(refusal(message));
    await expect(failed).rejects.toThrow(`\nWrite one SELECT over ${declared}`);
  });

  test.each([['nothing', { text: '\n' }, /^the table is empty$/]] as const)(
    'so is a file that holds %s',
    async (_, changed, message) => {
      await expect(ask('SELECT 1', changed)).rejects.toEqual(refusal(message));
    },
  );
});

describe('nothing runs but one SELECT over the table', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-query-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const other = join(folder, 'other.db');
  const db = new DatabaseSync(other);
  db.exec("CREATE TABLE secrets (word TEXT); INSERT INTO secrets VALUES ('xyzzy')");
  db.close();
  const made = join(folder, 'made.db');

  test.each([
    ['DELETE FROM data'],
    ['INSERT INTO data DEFAULT VALUES'],
    ['UPDATE data SET "Amount" = 0 RETURNING *'],
    ['WITH t AS (SELECT 1) DELETE FROM data'],
    ['CREATE TEMP TABLE t AS SELECT 1'],
    ['CREATE VIRTUAL TABLE t USING fts5(a)'],
    ['DROP TABLE data'],
    ['BEGIN'],
    ['VACUUM'],
    ['ANALYZE'],
    ['REINDEX data'],
    [`VACUUM INTO '${made}'`],
    [`ATTACH '${made}' AS m`],
    [`ATTACH '${other}' AS o`],
    [`ATTACH '${other}' AS o; SELECT * FROM o.secrets`],
    [`SELECT 1; ATTACH '${made}' AS m`],
    [`SELECT 1) ; ATTACH '${made}' AS m; --`],
    [`SELECT 1) UNION SELECT * FROM (SELECT 2`],
    [`/* SELECT */ ATTACH '${made}' AS m`],
    [`EXPLAIN SELECT 1`],
    ['PRAGMA user_version'],
    ['PRAGMA query_only = 0'],
    [`PRAGMA temp_store_directory = '${folder}'`],
    [`SELECT load_extension('${other}')`],
    [`SELECT readfile('${other}')`],
    [`SELECT writefile('${made}', 'x')`],
    [`SELECT * FROM fsdir('${folder}')`],
    [`SELECT * FROM "${other}"`],
    ["SELECT fts3_tokenizer('x', zeroblob(8))"],
    [''],
    [';'],
  ])('%s', async (sql) => {
    // What it refuses needs no process of its own: it is refused before that would matter.
    const loaded: string[] = [];
    await expect(answer(over(sql), (table) => loaded.push(table))).rejects.toBeInstanceOf(Error);
    expect(loaded).toEqual([declared]);
    expect(readdirSync(folder)).toEqual(['other.db']);
  });

  test('which may say such words in a text or a name', async () => {
    const sql = `SELECT 'ATTACH; PRAGMA x' AS "DROP TABLE data; --"`;
    expect(await here(sql)).toMatchObject({ columns: ['DROP TABLE data; --'], rows: [['ATTACH; PRAGMA x']] });
  });

  test('and it sees no other database', async () => {
    expect((await here('SELECT name, file FROM pragma_database_list')).rows).toEqual([['main', '']]);
    expect((await here('SELECT name FROM sqlite_schema')).rows).toEqual([['data']]);
  });
});

describe('a query is ended', () => {
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';

  test('after 5 seconds, at one step for ever, while the worker goes on', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 10);
    await expect(ask(`${numbers} SELECT sum(i) FROM n`)).rejects.toEqual(
      refusal(/^the query was ended after 5 seconds\nWrite one SELECT/),
    );
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });

  test.each([
    ['one value', 'SELECT length(hex(zeroblob(499999999)))'],
    ['large rows', `${numbers}, t(s) AS (SELECT hex(zeroblob(400000000 + i)) FROM n) SELECT s FROM t ORDER BY s`],
  ])('where it takes too much memory with %s', async (_, sql) => {
    await expect(ask(sql)).rejects.toEqual(refusal(/^the query was ended at 1000 MB of memory/));
  });

  test('with its call', async () => {
    const controller = new AbortController();
    const result = ask(`${numbers} SELECT sum(i) FROM n`, {}, controller.signal);
    controller.abort(new Error('no longer needed'));
    await expect(result).rejects.toThrow(/^no longer needed$/);
  });
});
