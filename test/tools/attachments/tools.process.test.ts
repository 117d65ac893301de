import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepFile } from '../../../src/tools/attachments/run-files.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import { fixture, pdfOf, pixel } from '../../support/files.ts';
import { docxOf, workbookOf } from '../../support/office.ts';
import { toolBench } from '../../support/tool-bench.ts';
import { zipOf } from '../../support/zip.ts';

const bench = toolBench();
afterAll(() => bench.close());

const source = { package: 'builtin.attachments' };
/** Tree of the agent's own files. */
let tree: string | null = null;
const call = (name: string, args: object = {}, workflowId = 'w') =>
  bench.call({ name, source, workspace: { tree, mounts: [] } }, args, { workflowExecution: { workflowId, runId: 'r' } })
    .result;
const textOf = async (...args: Parameters<typeof call>): Promise<string> => {
  const { status, text, blob } = await call(...args);
  expect(status).toBe('ok');
  return blob === undefined ? text : bench.store.blob(blob);
};

async function attach(name: string, content: string | Buffer, workflowId = 'w'): Promise<void> {
  const bytes = Buffer.from(content);
  const found = await recognise(name, bytes);
  await keepFile(bench.store, workflowId, { name, bytes, found, from: 'attachment' });
}

const lines = Array.from({ length: 3000 }, (_, index) => `This is line ${index + 1}.`);
beforeAll(async () => {
  await attach('notes.txt', 'one\ntwo\nthree\nfour');
  await attach('long.txt', lines.join('\n'));
  await attach('flat.json', `["${'x'.repeat(60_000)}"]`);
  await attach('found.json', '{"type": "all", "features": [{"id": 7}]}');
  await attach('paper.pdf', pdfOf(['First.', '[page 9]', 'Third.']));
  await attach('scan.pdf', pdfOf(['']));
  await attach('photo.png', pixel);
  await attach('Sales.csv', '\uFEFFregion;amount\nNorth;"1,234.50"\nSouth;€ 3\n"We\nst";\n');
  await attach('people.json', '[{"name": "Ada", "age": 36}, {"name": "Bob", "age": 41}]');
  const towns = [
    ['town', 'country', 'founded'],
    ['Oslo', 'NO', new Date('2026-03-31T00:00:00Z')],
    ['Bergen', 'NO', null],
  ];
  const countries = [
    ['code', 'people'],
    ['NO', 5_600_000],
  ];
  await attach('book.xlsx', workbookOf({ Towns: towns, Notes: [], 'Country codes': countries }));
  await attach('letter.docx', docxOf('<w:p><w:r><w:t>Dear you</w:t></w:r></w:p>'));
  await attach('papers.zip', zipOf({ 'maps/map.png': pixel, 'a.csv': 'x,y\n1,2\n' }));
  await attach('other.txt', 'Not yours.', 'another');
});

test('the package has five tools; only the one that saves has an effect, which may be repeated', async () => {
  const { tools } = await bench.list({ packages: ['builtin.attachments'] });
  expect(tools.map(({ name, sideEffects }) => [name, sideEffects])).toEqual([
    ['list_attachments', 'none'],
    ['read_attachment', 'none'],
    ['query_table', 'none'],
    ['view_image', 'none'],
    ['save_file', 'idempotent'],
  ]);
});

describe('list_attachments', () => {
  test('names the files of its own workflow, with what is wrong with them', async () => {
    const listed = JSON.parse(await textOf('list_attachments')) as Array<{ name: string }>;
    expect(listed[0]).toEqual({ name: 'notes.txt', kind: 'text', bytes: 18 });
    expect(listed.find(({ name }) => name === 'scan.pdf')).toMatchObject({
      kind: 'pdf',
      note: expect.stringMatching(/no text/),
    });
    expect(listed.map(({ name }) => name)).not.toContain('other.txt');
  });

  test('is empty where there are none', async () => {
    expect(await textOf('list_attachments', {}, 'without')).toBe('[]');
  });
});

describe('view_image', () => {
  test('shows an image, also one in an archive', async () => {
    const { images = [], text } = await call('view_image', { name: 'papers.zip/maps/map.png' });
    expect(text).toBe('papers.zip/maps/map.png:');
    expect(images.map(({ mediaType }) => mediaType)).toEqual(['image/png']);
    expect(await bench.store.blob(images[0]?.blob ?? '')).toBe(pixel.toString('base64'));
  });

  test('says what is no image', async () => {
    expect(await call('view_image', { name: 'notes.txt' })).toEqual({
      status: 'error',
      text: 'notes.txt is no image; read_attachment reads it',
    });
  });
});

describe('read_attachment', () => {
  test.each([
    ['a document', 'letter.docx', 'Dear you'],
    ['a workbook', 'book.xlsx', /^\[sheet 1: Towns\]\ntown,country,founded\nOslo,NO,2026-03-31\n/],
    ['the list of an archive', 'papers.zip', /^maps\/map\.png \(70 bytes\)\na\.csv \(8 bytes\)$/],
    ['a file of an archive', 'Papers.zip/A.csv', 'x,y\n1,2\n'],
  ])('reads %s', async (_, name, text) => {
    expect(await textOf('read_attachment', { name })).toEqual(
      typeof text === 'string' ? text : expect.stringMatching(text),
    );
  });

  test.each([
    ['a whole text', { name: 'notes.txt' }, 'one\ntwo\nthree\nfour'],
    ['its name in any letter case', { name: ' NOTES.txt ' }, 'one\ntwo\nthree\nfour'],
    [
      'a part by its lines',
      { name: 'notes.txt', from: 2, length: 2 },
      'two\nthree\n[lines 2 to 3 of 4; goes on with from: 4]',
    ],
    ['the last part', { name: 'notes.txt', from: 4 }, 'four\n[lines 4 to 4 of 4]'],
    [
      'a page of a PDF',
      { name: 'paper.pdf', length: 1 },
      '[page 1]\nFirst.\n[pages 1 to 1 of 3; goes on with from: 2]',
    ],
    [
      'a page that holds a line like a heading',
      { name: 'paper.pdf', from: 2, length: 1 },
      '[page 2]\n[page 9]\n[pages 2 to 2 of 3; goes on with from: 3]',
    ],
    [
      'characters',
      { name: 'notes.txt', by: 'characters', from: 5, length: 3 },
      'two\n[characters 5 to 7 of 18; goes on with by: "characters", from: 8]',
    ],
  ])('gives %s', async (_, args, text) => {
    expect(await textOf('read_attachment', args)).toBe(text);
  });

  test('gives at most 38,000 characters at once, and the parts are the whole', async () => {
    const parts: string[] = [];
    for (let from: number | undefined = 1; from !== undefined;) {
      const text = await textOf('read_attachment', { name: 'long.txt', from });
      const [, part = '', place = ''] = /^([^]*)\n(\[.*\])$/.exec(text) ?? [];
      expect(part.length).toBeLessThanOrEqual(38_000);
      parts.push(part);
      const next = /from: (\d+)/.exec(place)?.[1];
      from = next === undefined ? undefined : Number(next);
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('\n')).toBe(lines.join('\n'));
  });

  test('a line that is too long is read by characters', async () => {
    const first = await textOf('read_attachment', { name: 'flat.json' });
    expect(first).toMatch(/\n\[characters 1 to 38000 of 60004; goes on with by: "characters", from: 38001\]$/);
    const rest = await textOf('read_attachment', { name: 'flat.json', by: 'characters', from: 38_001 });
    expect(rest).toMatch(/^x{22002}"\]\n\[characters 38001 to 60004 of 60004\]$/);
  });

  test.each([
    [
      'a file that there is not',
      { name: 'note.txt' },
      /^there is no note\.txt; did you mean notes\.txt\? the files are notes\.txt, long\.txt, /,
    ],
    ['another workflow’s', { name: 'other.txt' }, /^there is no other\.txt;/],
    ['an image', { name: 'photo.png' }, /^photo\.png is an image: it has no text/],
    ['what has no text', { name: 'scan.pdf' }, /^scan\.pdf: the PDF has no text/],
    ['a line that there is not', { name: 'notes.txt', from: 5 }, /^there is no line 5; the last is line 4$/],
    ['a page that there is not', { name: 'paper.pdf', from: 4 }, /^there is no page 4; the last is page 3$/],
  ])('refuses %s', async (_, args, message) => {
    expect(await call('read_attachment', args)).toEqual({
      status: 'error',
      text: expect.stringMatching(message),
    });
  });
});

describe('query_table', () => {
  const all = 'SELECT * FROM data';

  test('runs SQL over a table of the workflow, by its name in any letter case', async () => {
    const sql = 'SELECT "region", "amount" FROM data WHERE "region" LIKE \'north\'';
    expect(JSON.parse(await textOf('query_table', { name: 'sales.csv', sql }))).toEqual({
      table: 'data("region" TEXT, "amount" TEXT)',
      table_rows: 3,
      numbers: expect.stringMatching(/^in "amount" € 3 is no plain number/),
      columns: ['region', 'amount'],
      rows: [['North', '1,234.50']],
    });
  });

  test('and over all sheets of a workbook, of which the first is also called data', async () => {
    const sql =
      'SELECT "town", "people" FROM data JOIN "Country codes" ON "country" = "code" WHERE "founded" < \'2027\'';
    expect(JSON.parse(await textOf('query_table', { name: 'book.xlsx', sql }))).toEqual({
      table:
        '"Towns"("town" TEXT, "country" TEXT, "founded" TEXT), "Country codes"("code" TEXT, "people" REAL); ' +
        'data is "Towns" too',
      table_rows: 3,
      columns: ['town', 'people'],
      rows: [['Oslo', 5_600_000]],
      file_note: 'the sheet Notes is empty',
    });
  });

  test('and over a file of an archive', async () => {
    expect(JSON.parse(await textOf('query_table', { name: 'papers.zip/a.csv', sql: all }))).toMatchObject({
      rows: [[1, 2]],
    });
  });

  test('and over a list of records', async () => {
    expect(JSON.parse(await textOf('query_table', { name: 'people.json', sql: all }))).toMatchObject({
      table: 'data("name" TEXT, "age" REAL)',
      rows: [
        ['Ada', 36],
        ['Bob', 41],
      ],
    });
  });

  test.each([
    ['a long text', 'long.txt', `SELECT * FROM data WHERE text LIKE '%line 2977.'`, [2977, 'This is line 2977.']],
    ['a PDF', 'paper.pdf', `SELECT * FROM data WHERE text LIKE 'Third%'`, [8, 'Third.']],
    ['other JSON', 'flat.json', 'SELECT line, length(value) FROM data, json_each(text)', [1, 60_000]],
    ['a record with a list', 'found.json', `SELECT value ->> 'id' FROM data, json_each("features")`, [7]],
  ])('finds what is anywhere in %s', async (_, name, sql, row) => {
    expect(JSON.parse(await textOf('query_table', { name, sql }))).toMatchObject({ rows: [row] });
  });

  test('refuses another workflow’s file', async () => {
    expect(await call('query_table', { name: 'other.txt', sql: all })).toEqual({
      status: 'error',
      text: expect.stringMatching(/^there is no other\.txt;/) as string,
    });
  });

  test('says what the table is where the SQL is wrong', async () => {
    const sql = 'SELECT regoin FROM data';
    expect(await call('query_table', { name: 'Sales.csv', sql })).toEqual({
      status: 'error',
      text: 'no such column: regoin\nWrite one SELECT over data("region" TEXT, "amount" TEXT)',
    });
  });
});

describe('save_file', () => {
  test('makes a file that is listed, read and queried like the others', async () => {
    expect(await textOf('save_file', { name: 'made.csv', text: 'a,b\n1,2\n' }, 's')).toBe(
      'Saved as made.csv (table, 8 bytes)',
    );
    expect(JSON.parse(await textOf('list_attachments', {}, 's'))).toEqual([
      { name: 'made.csv', kind: 'table', bytes: 8, saved: true },
    ]);
    expect(await textOf('read_attachment', { name: 'made.csv' }, 's')).toBe('a,b\n1,2\n');
    const query = { name: 'made.csv', sql: 'SELECT * FROM data' };
    expect(JSON.parse(await textOf('query_table', query, 's'))).toMatchObject({ rows: [[1, 2]] });
  });

  test('replaces what was saved under this name before', async () => {
    await textOf('save_file', { name: 'twice.md', text: 'First.' }, 's');
    await textOf('save_file', { name: 'twice.md', text: 'Second.' }, 's');
    expect(await textOf('read_attachment', { name: 'twice.md' }, 's')).toBe('Second.');
  });

  test('leaves paths out of names, and says what is wrong with a content', async () => {
    expect(await textOf('save_file', { name: '../../x/broken.json', text: '{' }, 's')).toMatch(
      /^Saved as broken\.json \(json, 1 bytes\); it is not valid JSON/,
    );
  });

  test.each([
    ['an attachment’s name', { name: 'notes.txt', text: 'x' }, /^notes\.txt came with the task and stays as it is/],
    ['no name', { name: '..', text: 'x' }, /^\.\. is no name of a file$/],
  ])('refuses %s', async (_, args, message) => {
    expect(await call('save_file', args)).toEqual({ status: 'error', text: expect.stringMatching(message) });
    expect(await textOf('read_attachment', { name: 'notes.txt', length: 1 })).toMatch(/^one\n/);
  });
});

describe('files as people have them', () => {
  test('a locked PDF says so, and is read with the password that the task names', async () => {
    await attach('locked.pdf', fixture('locked.pdf'), 'p');
    const locked =
      /^locked\.pdf: the PDF needs a password: read_attachment takes it as "password"; nothing of it can be read$/;
    expect(await call('read_attachment', { name: 'locked.pdf' }, 'p')).toEqual({
      status: 'error',
      text: expect.stringMatching(locked),
    });
    expect(await textOf('list_attachments', {}, 'p')).toContain('needs a password');
    expect(await call('read_attachment', { name: 'locked.pdf', password: 'sesame' }, 'p')).toEqual({
      status: 'error',
      text: expect.stringMatching(/this is not the password of the PDF/),
    });
    const read = await textOf('read_attachment', { name: 'locked.pdf', password: 'open sesame' }, 'p');
    expect(read).toMatch(/^\[page 1\]\nThe code is 4711\.\n\n\[properties: .*\]$/);
  });

  test('a table that Excel has saved in Germany is summed up rightly', async () => {
    await attach('german.csv', fixture('german.csv'), 'g');
    const sum = JSON.parse(
      await textOf('query_table', { name: 'german.csv', sql: 'SELECT sum("Umsatz") FROM data' }, 'g'),
    );
    expect(sum).toMatchObject({ table: 'data("Stadt" TEXT, "Umsatz" REAL, "Größe" TEXT)', rows: [[2100]] });
    expect(await textOf('list_attachments', {}, 'g')).toContain(
      'it was read as Windows-1252, which its bytes look like',
    );
  });

  test('a database is queried itself, and Parquet too', async () => {
    await attach('shop.db', fixture('shop.db'), 'd');
    await attach('sales.parquet', fixture('sales-snappy.parquet'), 'd');
    const query = async (name: string, sql: string) => JSON.parse(await textOf('query_table', { name, sql }, 'd')).rows;
    expect(await query('shop.db', 'SELECT max(total) FROM totals')).toEqual([[30.5]]);
    expect(await query('sales.parquet', "SELECT units FROM data WHERE code = '007'")).toEqual([[3]]);
  });

  test('a scan is seen page by page, and a picture that cannot be shown says why', async () => {
    await attach('fax.tif', fixture('fax.tif'), 't');
    for (const name of ['fax.tif', 'fax.tif/page-3.png']) {
      expect(await call('view_image', { name }, 't')).toMatchObject({
        status: 'ok',
        images: [{ mediaType: 'image/png' }],
      });
    }
    await attach('broken.tif', fixture('fax.tif').subarray(0, 60), 't');
    expect(await call('view_image', { name: 'broken.tif' }, 't')).toMatchObject({
      status: 'error',
      text: expect.stringMatching(/^broken\.tif: it cannot be shown/),
    });
  });

  test('what is not read is listed with what it is', async () => {
    await attach('tool', Buffer.from('\x7fELF\x02\0', 'latin1'), 'x');
    expect(await textOf('list_attachments', {}, 'x')).toContain('it is a program for Linux (application/x-executable)');
    expect(await call('read_attachment', { name: 'tool' }, 'x')).toMatchObject({ status: 'error' });
  });
});

describe('every tool sees what the agent has, by one set of names', () => {
  const sql = 'SELECT sum("b") FROM data';

  test('a file of its own, such as Python writes, is listed, read and queried', async () => {
    const content = Buffer.from('a,b\n1,2\n3,4\n');
    const [id = ''] = await bench.store.putObjects([content]);
    tree = await new Trees(bench.store).write(new Map([['out/sums.csv', { id, bytes: content.length, mode: 'file' }]]));
    expect(JSON.parse(await textOf('list_attachments', {}, 'own'))).toEqual([{ name: 'out/sums.csv', bytes: 12 }]);
    expect(await textOf('read_attachment', { name: './out/sums.csv' }, 'own')).toBe('a,b\n1,2\n3,4\n');
    expect(JSON.parse(await textOf('query_table', { name: 'out/sums.csv', sql }, 'own'))).toMatchObject({
      rows: [[6]],
    });
    tree = null;
  });

  test('an attachment has the name by which programs find it, too', async () => {
    expect(await textOf('read_attachment', { name: 'attachments/notes.txt' })).toMatch(/^one\n/);
    expect(await textOf('read_attachment', { name: 'attachments/papers.zip/a.csv' })).toBe('x,y\n1,2\n');
  });
});

describe('a page that is a picture is shown', () => {
  const scan = readFileSync(new URL('../../../examples/gaia-like/files/scan.pdf', import.meta.url));

  test('where it is read, and where its picture is asked for', async () => {
    await attach('receipt.pdf', scan, 'p');
    const read = await call('read_attachment', { name: 'receipt.pdf' }, 'p');
    expect(read.text).toMatch(
      /^\[page 1\]\n\[this page is a picture\]\n\n\[page 2\]\nThe second page[^]*\n\[pictures shown: page 1\]$/,
    );
    expect(read.images?.map(({ mediaType }) => mediaType)).toEqual(['image/png']);
    expect((await call('view_image', { name: 'receipt.pdf', page: 1 }, 'p')).images).toEqual(read.images);
    expect(await call('view_image', { name: 'receipt.pdf', page: 2 }, 'p')).toEqual({
      status: 'error',
      text: 'receipt.pdf has no pictures on page 2',
    });
  });

  test('and a query over a workbook brings what is to be known of it', async () => {
    const bytes = readFileSync(new URL('../../../examples/gaia-like/files/warehouse.xlsx', import.meta.url));
    await attach('stock.xlsx', bytes, 'p');
    const sql = 'SELECT sum("Value") FROM data';
    expect(JSON.parse(await textOf('query_table', { name: 'stock.xlsx', sql }, 'p'))).toMatchObject({
      rows: [[94_730]],
      file_note: 'Stock: 2 of its 5 rows are hidden, see _hidden',
    });
  });
});
