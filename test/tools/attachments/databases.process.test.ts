import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readContent } from '../../../src/tools/attachments/content.ts';
import { queryTable } from '../../../src/tools/attachments/query.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import { fixture } from '../../support/files.ts';

const read = async (name: string, bytes = fixture(name)) => readContent(name, bytes, await recognise(name, bytes));

async function ask(name: string, sql: string) {
  const bytes = fixture(name);
  const { kind, mediaType } = await recognise(name, bytes);
  return queryTable({ text: '', bytes, kind, mediaType, sql }, new AbortController().signal);
}

describe('an SQLite database', () => {
  test('is read table by table, and its views are named', async () => {
    expect(await read('shop.db')).toEqual({
      text:
        '[sheet 1: customers]\nid,name,postcode,photo\n1,Ada,01067,(2 bytes)\n3,,,\n9007199254740993,"Grace, Jr.",,\n\n' +
        '[sheet 2: orders]\nid,customer,amount,day\n1,1,10.5,2026-03-31\n2,1,20,2026-04-01\n3,3,5,\n\n' +
        '[sheet 3: notes]\nbody\ncall Ada\n',
      note: 'its views (totals) are not in its text; query_table sees them',
    });
  });

  test('is queried as it is: joins, views, full text, types, NULLs and long numbers', async () => {
    const joined = await ask(
      'shop.db',
      'SELECT name, sum(amount) FROM customers JOIN orders ON customer = customers.id GROUP BY 1',
    );
    expect(joined).toMatchObject({
      table_rows: 7,
      rows: [
        ['', 5],
        ['Ada', 30.5],
      ],
    });
    expect(joined.table).toMatch(/^"customers"\("id" INTEGER, "name" TEXT, .*"totals"\(.*; data is "customers" too$/);
    expect((await ask('shop.db', 'SELECT * FROM totals')).rows).toEqual([
      ['', 5],
      ['Ada', 30.5],
    ]);
    expect((await ask('shop.db', 'SELECT id, postcode FROM data WHERE postcode IS NOT NULL OR id > 3')).rows).toEqual([
      [1, '01067'],
      [3, ''],
      ['9007199254740993', null],
    ]);
    expect((await ask('shop.db', "SELECT * FROM notes WHERE notes MATCH 'ada'")).rows).toEqual([['call Ada']]);
  });

  test.each([
    ['writes', "UPDATE customers SET name = 'x'"],
    ['attaches another', "ATTACH '/etc/passwd' AS other"],
  ])('is not changed, and leads nowhere: no query %s', async (_, sql) => {
    await expect(ask('shop.db', sql)).rejects.toMatchObject({ name: 'ToolError' });
  });

  test('leaves no file behind', async () => {
    // Other tests open databases at the same time.
    const own = mkdtempSync(join(tmpdir(), 'reprise-databases-'));
    vi.stubEnv('TMPDIR', own);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(own, { recursive: true });
    });
    await ask('shop.db', 'SELECT 1');
    expect(readdirSync(own)).toEqual([]);
  });

  test('that is damaged has a note', async () => {
    const whole = fixture('shop.db');
    expect(await read('a.db', whole.subarray(0, 50))).toEqual({
      note: expect.stringMatching(/^it is damaged.*nothing of it can be read$/),
    });
    const broken = Buffer.from(whole).fill(0xab, 4096, 12_000);
    const { note, text } = await read('a.db', broken);
    expect(text ?? note).toMatch(/\w/);
  });
});

describe('Parquet', () => {
  test('has times of the day, and keeps whole numbers that are too long for one', async () => {
    expect(await read('types.parquet')).toEqual({
      text: '[sheet 1: data]\nat,most,in\n13:45:00,18446744073709551615,"{""id"":""1152921504606846977""}"\n00:00:00.500,7,"{""id"":1}"\n',
    });
  });

  test('has all digits of times, and names decimals that have more than are read', async () => {
    expect(await read('exact.parquet')).toEqual({
      text: '[sheet 1: data]\nat,sum\n2026-03-31 12:00:00.123456,12345678901234568\n1969-12-31 23:59:59.500,0.1\n',
      note: 'of the decimals of sum about 15 digits are exact, and they may have more',
    });
  });

  test('tells times in UTC from those without a zone, and names units and bytes that are no text', async () => {
    expect(await read('zones.parquet')).toEqual({
      text:
        '[sheet 1: data]\nfrom,to,within,took,at,digest,code,parts\n' +
        '2026-03-31 22:00:00Z,2026-03-31 22:00:00.000005Z,"[""2026-03-31 22:00:00""]",108000000000,' +
        '23:59:59.123456,(3 bytes),x,"[""ff00"",""y""]"\n,,,,08:00:00,plain,,\n',
      note:
        'times in UTC (Z): from (written in Europe/Berlin), to, within; durations: took in microseconds; ' +
        'bytes that are no text, which hex() in a query shows: digest',
    });
    const { rows } = await ask('zones.parquet', 'SELECT hex(digest), datetime("from", \'+2 hours\') FROM data');
    expect(rows[0]).toEqual(['FF0001', '2026-04-01 00:00:00']);
  });

  test.each(['snappy', 'gzip', 'zstd', 'brotli', 'none'])('is read as a table, packed by %s', async (codec) => {
    expect(await read(`sales-${codec}.parquet`)).toEqual({
      text:
        '[sheet 1: data]\nregion,code,units,price,day,at,isNew,tags\n' +
        'North,007,3,1.1,2026-03-31,2026-03-31 12:00:00,1,"[""a"",""b""]"\n' +
        'South,12,,2.2,2026-04-01,2026-04-01 08:30:01.500,0,"[]"\n' +
        ',,9007199254740993,,,,,\n',
    });
  });

  test('is queried with its types and NULLs, over all of its groups of rows', async () => {
    const result = await ask('sales-zstd.parquet', 'SELECT code, units, price FROM data ORDER BY units DESC');
    expect(result).toEqual({
      table:
        'data("region" TEXT, "code" TEXT, "units" INTEGER, "price" REAL, "day" TEXT, "at" TEXT, "isNew" INTEGER, "tags" TEXT)',
      table_rows: 3,
      columns: ['code', 'units', 'price'],
      rows: [
        ['', '9007199254740993', null],
        ['007', 3, 1.1],
        ['12', null, 2.2],
      ],
    });
  });

  test.each([
    ['packed in an unknown way', fixture('sales-lz4.parquet'), /LZ4/],
    ['cut off', fixture('sales-none.parquet').subarray(0, 2000), /parquet/],
  ])('has a note where it is %s', async (_, bytes, why) => {
    const { note, text } = await read('a.parquet', bytes);
    expect(text).toBeUndefined();
    expect(note).toMatch(why);
    expect(note).toMatch(/nothing of it can be read$/);
  });
});
