import { describe, expect, test } from 'vitest';
import { readContent } from '../../../src/tools/attachments/content.ts';
import { previewOf } from '../../../src/tools/attachments/run-files.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import { pdfOf } from '../../support/files.ts';

async function read(name: string, content: string | Buffer) {
  const bytes = Buffer.from(content);
  return readContent(name, bytes, await recognise(name, bytes));
}

describe('a PDF', () => {
  const pages = ['One\nand its second line', '', 'Three'];
  const whole = pdfOf(pages);
  const text = '[page 1]\nOne\nand its second line\n\n[page 2]\n\n[page 3]\nThree';
  const empty = 'pages without text, which may have drawings: 2';
  const upTo = (mark: string): Buffer => whole.subarray(0, whole.lastIndexOf(mark));

  test('is read page by page, each under its number', async () => {
    expect(await read('a.pdf', whole)).toEqual({ text, note: empty });
  });

  test('has the addresses that links lead to, who has commented, marked words, and the names of files in it', async () => {
    const link = '<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://example.org/7) >> >>';
    const comment = '<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /T (Rune) /Contents (Sure?) >>';
    const marks = ['Highlight', 'StrikeOut'].map(
      (how) =>
        `<< /Type /Annot /Subtype /${how} /Rect [70 690 140 730] /QuadPoints [70 730 140 730 70 690 140 690] /T (Ada) >>`,
    );
    const files = '/Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (a.xml) >>] >> >>';
    const bytes = pdfOf(['One'])
      .toString('latin1')
      .replace('/Type /Page ', `/Type /Page /Annots [${link} ${link} ${comment} ${marks.join(' ')}] `)
      .replace('/Type /Catalog', `/Type /Catalog ${files}`);
    expect(await read('a.pdf', bytes)).toEqual({
      text: '[page 1]\nOne\n[link: https://example.org/7]\n[comment: Rune: Sure?]\n[highlight "One": Ada]\n[struck out "One": Ada]',
      note: 'files in it, which are not read: a.xml',
    });
  });

  test('has the texts that are in it as files, such as the data of an invoice', async () => {
    const file = '(a) << /Type /Filespec /F (a.xml) /EF << /F 90 0 R >> >>';
    const bytes = pdfOf(['One'])
      .toString('latin1')
      .replace('/Type /Catalog', `/Type /Catalog /Names << /EmbeddedFiles << /Names [${file}] >> >>`)
      .replace(/^xref/m, '90 0 obj\n<< /Length 8 >>\nstream\n<a>7</a>\nendstream\nendobj\nxref');
    expect(await read('a.pdf', bytes)).toEqual({ text: '[page 1]\nOne\n\n[file in it: a.xml]\n<a>7</a>' });
  });

  test('names the character maps that are missing for text in it', async () => {
    const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
    const song =
      '<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [' +
      '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 0 >> ' +
      '/FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 6 >> >>] >>';
    const bytes = pdfOf(['One']).toString('latin1').replace(helvetica, song);
    expect((await read('a.pdf', bytes)).note).toMatch(/^text in it that needs the character maps UniGB-UCS2-H/);
  });

  test('leaves out the text of pages whose fonts give no letters, and names them; a few such marks stay', async () => {
    const map = '1 beginbfrange <41> <5A> <E000> endbfrange';
    const readCoded = async (pages: string[]) => {
      const bytes = pdfOf(pages)
        .toString('latin1')
        .replace('/Helvetica', '/Helvetica /ToUnicode 90 0 R')
        .replace(/^xref/m, `90 0 obj\n<< /Length ${map.length} >>\nstream\n${map}\nendstream\nendobj\nxref`);
      return await read('a.pdf', bytes);
    };
    const note = 'pages whose fonts do not say which letters they show, and whose text is left out: 1';
    const marked = 'A one of many things';
    const text = '[page 1]\n\n[page 2]\n\uE000 one of many things';
    expect(await readCoded(['WHAT IS READ', marked])).toEqual({ text, note });
    expect(await readCoded(['WHAT IS READ'])).toEqual({ note: `${note}; nothing of it can be read` });
  });

  test('that stands for a form of XFA says that the form is not read', async () => {
    const form = (fields: string): string =>
      pdfOf(['Please wait'])
        .toString('latin1')
        .replace('/Type /Catalog', `/Type /Catalog /AcroForm << /Fields [${fields}] /XFA [(template)] >>`);
    const note = 'it is a form (XFA) that only Adobe Reader shows, and that is not read';
    expect(await read('a.pdf', form(''))).toEqual({ text: '[page 1]\nPlease wait', note });
    const field = '<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (7) /Rect [0 0 9 9] >>';
    expect((await read('a.pdf', form(field))).note).toBeUndefined();
  });

  test('has what it says of itself', async () => {
    const info = '/Info << /Title (Harbour dues) /Author (Ada) /CreationDate (D:20260331120000Z) /Producer (x) >>';
    const bytes = pdfOf(['One']).toString('latin1').replace('/Root', `${info} /Root`);
    const properties = '[properties: title Harbour dues; author Ada; created 2026-03-31]';
    expect(await read('a.pdf', bytes)).toEqual({ text: `[page 1]\nOne\n\n${properties}` });
  });

  test('without any text says so', async () => {
    expect(await read('scan.pdf', pdfOf(['', '']))).toEqual({
      note: 'the PDF has no text; nothing of it can be read',
    });
  });

  test.each<[string, Buffer, object]>([
    [
      'without its end is read whole',
      upTo('xref\n0'),
      { text, note: `the PDF is damaged: its end is missing; ${empty}` },
    ],
    [
      'in which a page is missing is read as far as it goes',
      upTo('8 0 obj'),
      {
        text: '[page 1]\nOne\nand its second line\n\n[page 2]\n\n[page 3]',
        note: `the PDF is damaged: its end is missing; of its 3 pages these cannot be read: 3; ${empty}`,
      },
    ],
    [
      'of which only the head is left has a note alone',
      whole.subarray(0, 12),
      { note: 'the PDF is damaged (Invalid PDF structure.); nothing of it can be read' },
    ],
  ])('that was cut off %s', async (_, bytes, readable) => {
    expect(await read('a.pdf', bytes)).toEqual(readable);
  });

  test('damaged anywhere ends in text or a note, and never in an error', async () => {
    for (let place = 20; place < whole.length - 100; place += 150) {
      const broken = Buffer.from(whole);
      broken.fill(0, place, place + 100);
      const { text, note } = await read('a.pdf', broken);
      expect(text ?? note).toMatch(/\w/);
    }
  });
});

test('a picture of megabytes in a page is left out as well', async () => {
  expect(await read('a.html', `<img src="data:image/png;base64,${'a'.repeat(10_000_000)}">`)).toMatchObject({
    text: '<img src="data:image/png;base64,[left out]">',
  });
});

test.each([
  ['a.ipynb', '{"image/png": "', '", "text": "42"}'],
  ['a.html', '<img src="data:image/png;base64,', '"><p>42</p>'],
  ['a.vcf', 'PHOTO;ENCODING=b;TYPE=JPEG:', '\nTEL:42'],
])('what %s has in base64 is left out, and named', async (name, before, after) => {
  expect(
    await read(
      name,
      `${before}${'iVBORw0KGgo='.repeat(100).replaceAll(/.{75}/g, name === 'a.vcf' ? '$&\r\n ' : '$&')}${after}`,
    ),
  ).toEqual({
    text: `${before}[left out]${after}`,
    note: 'what is written in base64 in it, such as pictures, is left out',
  });
});

test('XML that is one long line is shown in lines, so that a part of it can be read and asked for', async () => {
  const entry = '<Ntry><Amt Ccy="EUR">5</Amt> is paid</Ntry>';
  expect(await read('a.xml', `<Stmt>${entry.repeat(30)}</Stmt>`)).toEqual({
    text: `<Stmt>\n${'<Ntry>\n<Amt Ccy="EUR">5</Amt> is paid</Ntry>\n'.repeat(30)}</Stmt>`,
    note: 'its tags are shown on lines of their own, unlike in the file',
  });
  expect(await read('a.xml', `<Stmt>${entry}</Stmt>`)).toEqual({ text: `<Stmt>${entry}</Stmt>` });
});

test('lines that end as on old computers are lines', async () => {
  expect(await read('a.txt', 'one\rtwo\r')).toEqual({ text: 'one\ntwo\n' });
});

describe('a note says what is wrong with', () => {
  test.each([
    ['JSON', 'a.json', '{"a": 1', /^it is not valid JSON \(.+\): it can be read as a plain text only$/],
    [
      'some lines of JSON',
      'a.jsonl',
      '{"a": 1}\n{"a"\n\n{',
      /^2 of its 4 lines are not valid JSON \(the first: line 2\)$/,
    ],
    ['what it holds', 'a.json', '{"a": {"b": [{}, {}]}}', /^lists in it are tables of query_table: "a\.b" \(2 rows\)$/],
    ['a list of objects', 'a.json', '[{"a": 1}, 7, null]', /^2 of its 3 entries are no objects, and so no rows/],
    [
      'lines of objects',
      'a.jsonl',
      '{"a": 1}\n[{"a": 2}, 7]\n{',
      /^1 of its 3 lines are not .*; 1 of its 3 entries are no objects/,
    ],
    [
      'the quotes of a table',
      'a.csv',
      'a,b\n"x,2\n3,4\n',
      /^its quotation marks do not match up to line 3, and are read as plain characters$/,
    ],
    [
      'its rows',
      'a.csv',
      'a,b\n1,2\n3\n4,5,6\n',
      /^2 of 3 rows have more or fewer cells than the 2 columns \(the first: row 2\)$/,
    ],
    ['what holds nothing', 'a.csv', ' \n', /^the file is empty$/],
    ['the name of an old workbook', 'a.xls', '<table>', /^it is a plain text, whatever its ending \.xls says$/],
    ['the name of a table', 'a.xls', 'a;b\n1;2\n', /^it is a plain text, whatever its ending \.xls says$/],
    ['a name', 'photo.png', '<html>Not found', /^it is a plain text, whatever its ending \.png says$/],
  ])('%s, and its text is kept', async (_, name, content, note) => {
    expect(await read(name, content)).toEqual({ text: content, note: expect.stringMatching(note) });
  });

  test.each([
    ['a.json', '[1]'],
    ['a.json', '{"a": [1, {}]}'],
    ['a.jsonl', '{"a": 1}\r\n{"a": 2}\r\n'],
    ['a.csv', 'a;b\n1;2\n'],
    ['a.md', '# Hi'],
  ])('and there is none where nothing is: %s', async (name, content) => {
    expect(await read(name, content)).toEqual({ text: content });
  });
});

describe('a text that is a workbook is read as one', () => {
  test('where it is a page with tables, whose numbers stay as they are', async () => {
    const page =
      '<html><h2>March</h2><table><tr><td>a<td>b</tr><tr style="display:none"><td>x<td>1.250,50</tr></table></html>';
    expect(await read('a.xls', page)).toEqual({
      text: '[sheet 1: Sheet1]\na,b\nx,"1.250,50"\n',
      note:
        'it is a page (HTML), whatever its ending says, each of whose tables is a sheet; ' +
        'what its styles hide is shown as any other cell; beside its tables stands: March',
    });
    expect(await read('a.html', page)).toEqual({ text: page });
  });

  test.each(['a.xls', 'a.xml'])('where it is XML of Excel 2003: %s', async (name) => {
    const cell = (type: string, value: string): string => `<Cell><Data ss:Type="${type}">${value}</Data></Cell>`;
    const rows = `<Row>${cell('String', 'who')}${cell('String', 'n')}</Row><Row ss:Hidden="1">${cell('String', 'é')}${cell('Number', '1.5')}</Row>`;
    const uri = 'urn:schemas-microsoft-com:office:spreadsheet';
    const book = `<?xml version="1.0"?><Workbook xmlns="${uri}" xmlns:ss="${uri}"><Worksheet ss:Name="Orders"><Table>${rows}</Table></Worksheet></Workbook>`;
    expect(await read(name, book)).toEqual({
      text: '[sheet 1: Orders]\nwho,n,_hidden\né,1.5,hidden\n',
      note: 'Orders: 1 of its 1 rows are hidden, see _hidden',
    });
  });
});

describe('a preview', () => {
  test('is the beginning of a text, of at most 1,000 characters', async () => {
    expect(await previewOf('text', ' Short.\n')).toBe('Short.');
    const long = await previewOf('json', '🙂'.repeat(1000));
    expect(long).toBe(`${'🙂'.repeat(499)}…`);
  });

  test('of a table has its columns, the number of its rows and the first of them', async () => {
    const rows = Array.from({ length: 1200 }, (_, index) => `${index},x`);
    expect(await previewOf('table', ['id,name', ...rows].join('\n'))).toBe(
      'Columns: id, name\n1,200 rows; the first 5:\n0 | x\n1 | x\n2 | x\n3 | x\n4 | x',
    );
    expect(await previewOf('table', 'a,b\n1,2')).toBe('Columns: a, b\n1 row:\n1 | 2');
  });

  test('of a table has the number of its rows, however many its columns', async () => {
    const header = Array.from({ length: 500 }, (_, index) => `column ${index}`).join(',');
    const preview = await previewOf('table', `${header}\n${'1,'.repeat(499)}1`);
    expect(preview).toContain('…\n1 row:\n1 | 1');
    expect(preview.length).toBeLessThanOrEqual(1000);
  });

  test('of a large table is the same, made in a thread of its own', async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => `${index},x`);
    expect(await previewOf('table', ['id,name', ...rows].join('\n'))).toBe(
      'Columns: id, name\n100,000 rows; the first 5:\n0 | x\n1 | x\n2 | x\n3 | x\n4 | x',
    );
    expect(await read('a.csv', ['id,name', ...rows, 'one cell'].join('\n'))).toMatchObject({
      note: '1 of 100001 rows have more or fewer cells than the 2 columns (the first: row 100001)',
    });
  });
});
