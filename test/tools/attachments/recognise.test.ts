import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import { fixture, pdfOf, pixel } from '../../support/files.ts';

const gif = Buffer.from('GIF89a…');
const webp = Buffer.concat([Buffer.from('RIFF'), Buffer.from([9, 0, 0, 0]), Buffer.from('WEBPVP8 ')]);
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]);

/** The beginning of an old document, and one entry of its directory. */
const oldOf = (stream: string): Buffer =>
  Buffer.concat([
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
    Buffer.alloc(120),
    Buffer.from(`${stream}\0`, 'utf16le'),
  ]);

describe('a file is', () => {
  test.each<[string, string, string | Buffer, object]>([
    ['a table by .csv', 'A.CSV', 'a,b', { kind: 'table', mediaType: 'text/csv', text: 'a,b' }],
    ['a table by .tsv', 'a.tsv', 'a\tb', { kind: 'table', mediaType: 'text/tab-separated-values' }],
    ['a table by .psv', 'a.psv', 'a|b', { kind: 'table', mediaType: 'text/csv' }],
    ['a table by .tab', 'a.tab', 'a\tb', { kind: 'table', mediaType: 'text/tab-separated-values' }],
    [
      'a text in colours, with a byte that is not UTF-8',
      'a.log',
      Buffer.from('\x1b[31mé é\xff', 'latin1'),
      { kind: 'text' },
    ],
    ['JSON by .json', 'a.json', '{', { kind: 'json', mediaType: 'application/json' }],
    ['JSON by .jsonl', 'a.jsonl', '{}', { kind: 'json', mediaType: 'application/jsonl' }],
    ['a text by its content, whatever its ending', 'a.py', 'x = "é"', { kind: 'text', text: 'x = "é"' }],
    ['a text without an ending', 'Makefile', 'all:', { kind: 'text', mediaType: 'text/plain' }],
    ['a text that speaks of PDFs', 'a.ts', 'const head = "%PDF-1.4";', { kind: 'text' }],
    ['a text without its byte order mark', 'a.md', '\uFEFF# Hi', { kind: 'text', text: '# Hi' }],
    ['a table that is called a text', 'a.txt', 'day\tsum\n1.3.\t5\n\n', { kind: 'table', mediaType: 'text/csv' }],
    ['a text with a tab in a line', 'a.txt', 'one\ttwo\nthree', { kind: 'text' }],
    ['a text with ends of statements', 'a.txt', 'a = 1;\nb = 2;', { kind: 'text' }],
    ['a text though it is empty', 'a.txt', '', { kind: 'text', text: '' }],
    ['a PDF by its head', 'a.bin', pdfOf(['x']), { kind: 'pdf', mediaType: 'application/pdf' }],
    ['a PDF with something before it', 'a.pdf', '\n\n%PDF-1.4', { kind: 'pdf' }],
    ['a PNG by its first bytes', 'a.txt', pixel, { kind: 'image', mediaType: 'image/png' }],
    ['a JPEG', 'a', jpeg, { kind: 'image', mediaType: 'image/jpeg' }],
    ['a GIF', 'a', gif, { kind: 'image', mediaType: 'image/gif' }],
    ['a WebP', 'a', webp, { kind: 'image', mediaType: 'image/webp' }],
    ['a TIFF', 'a', fixture('picture.tif'), { kind: 'image', mediaType: 'image/tiff' }],
    ['a bitmap', 'a', fixture('picture.bmp'), { kind: 'image', mediaType: 'image/bmp' }],
    ['a picture of a telephone', 'a', fixture('picture.heic'), { kind: 'image', mediaType: 'image/heic' }],
    ['a text that begins like a bitmap', 'a', 'BM and others wrote this.', { kind: 'text' }],
    ['a database', 'a', fixture('shop.db'), { kind: 'workbook', mediaType: 'application/vnd.sqlite3' }],
    ['Parquet', 'a', fixture('sales-zstd.parquet'), { kind: 'workbook' }],
    ['a workbook whose stream is in capitals', 'a', oldOf('WORKBOOK'), { kind: 'workbook' }],
    ['old slides', 'a', oldOf('PowerPoint Document'), { kind: 'document', mediaType: 'application/vnd.ms-powerpoint' }],
    ['an archive by gzip', 'a', fixture('towns.csv.gz'), { kind: 'archive', mediaType: 'application/gzip' }],
    ['an archive by tar', 'a', fixture('papers.tar'), { kind: 'archive', mediaType: 'application/x-tar' }],
  ])('%s', async (_, name, content, found) => {
    expect(await recognise(name, Buffer.from(content))).toMatchObject(found);
  });

  test.each<[string, string, string, string, RegExp]>([
    ['with NULs', 'a.txt', 'a\0b', 'application/octet-stream', /data of an unknown format/],
    ['of an old office', 'a.doc', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\xff', 'application/x-ole-storage', /an old office/],
    [
      'that is signed',
      'invoice.xml.p7m',
      '0\x82\x01\x10\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02',
      'application/pkcs7-mime',
      /signed or encrypted/,
    ],
    ['of Outlook', 'winmail.dat', '\x78\x9f\x3e\x22\0', 'application/vnd.ms-tnef', /as Outlook packs it/],
    ['that is a program', 'a', '\x7fELF\x02\0', 'application/x-executable', /a program for Linux/],
    ['of Arrow', 'a', 'ARROW1\0\0\xff', 'application/vnd.apache.arrow.file', /Feather/],
    ['of ORC', 'a', 'ORC\n\xff\0', 'application/vnd.apache.orc', /ORC data/],
    ['that is an icon', 'a', '\0\0\x01\0\x05\0\x10\x10', 'image/vnd.microsoft.icon', /an icon of Windows/],
    ['in PPM', 'a', 'P6\n200 100\n255\n\xff\0', 'image/x-portable-anymap', /PBM, PGM or PPM/],
    ['in PCX', 'a', '\x0a\x05\x01\x08\0\0', 'image/vnd.zbrush.pcx', /a picture in PCX/],
    ['in UTF-32', 'a.txt', '\xff\xfe\0\0h\0\0\0', 'text/plain', /a text in UTF-32/],
    ['of DuckDB', 'a', '12345678DUCK\0\xff', 'application/vnd.duckdb', /a DuckDB database/],
    ['of Access', 'a', '\0\x01\0\0Standard Jet DB\0', 'application/vnd.ms-access', /a database of Access/],
    ['in 7-Zip', 'a.7z', '7z\xbc\xaf\x27\x1c\0', 'application/x-7z-compressed', /a 7-Zip archive/],
  ])('binary, with a note that says what it is: one %s', async (_, name, content, mediaType, what) => {
    expect(await recognise(name, Buffer.from(content, 'latin1'))).toEqual({
      kind: 'binary',
      mediaType,
      note: expect.stringMatching(what),
    });
  });

  test('something, whatever its bytes and its name are', async () => {
    const beginnings = [
      '',
      'SQLite format 3\0',
      'PAR1',
      '\x1f\x8b\x08',
      '%PDF-',
      'PK\x03\x04',
      'II*\0',
      '\xff\xfe',
      '\x89PNG\r\n\x1a\n',
    ];
    const anything = fc.tuple(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 600 }), fc.string());
    await fc.assert(
      fc.asyncProperty(anything, async ([beginning, rest, name]) => {
        const { kind, note, text } = await recognise(name, Buffer.concat([Buffer.from(beginning, 'latin1'), rest]));
        expect(kind).toMatch(/^[a-z]+$/);
        if (kind === 'binary') expect(note).toMatch(/^it is .+ is not read; tools and programs have its bytes$/);
        if (text !== undefined) expect(text).not.toContain('\0');
      }),
    );
  });
});

describe('a text is decoded as what it is', () => {
  test.each([
    [
      'german.csv',
      'table',
      /^Stadt;Umsatz;Größe\r\nKöln;1\.234,50;groß\r\nMünchen.*„fein“.*\r\nDüren;765,60;\r\nPreis in €/s,
      /Windows-1252/,
    ],
    ['cafe.txt', 'text', /^Un café à Nîmes, un été à Sète\.\n$/, /Windows-1252/],
    ['utf-16.txt', 'text', /^Zürich, 5 €\nЭто вторая строка\.\n$/, /UTF-16LE/],
    ['utf-16le-without-mark.txt', 'text', /^Zürich, 5 €\nЭто вторая/, /UTF-16LE/],
    ['utf-16be-without-mark.txt', 'text', /^Zürich, 5 €\nЭто вторая/, /UTF-16BE/],
  ])('%s', async (name, kind, text, encoding) => {
    const found = await recognise(name, fixture(name));
    expect(found).toMatchObject({ kind, text: expect.stringMatching(text), note: expect.stringMatching(encoding) });
  });

  test.each([
    ['<?xml version="1.0" encoding="ISO-8859-2"?><a>\xb3</a>', 'ł', 'ISO-8859-2'],
    ['<html><meta charset="windows-1251"><p>\xcc\xee</p>', 'Мо', 'windows-1251'],
    ['<meta content="text/html; charset = iso-8859-6"><p>\xe8\xc3</p>', 'وأ', 'iso-8859-6'],
    ['<html><meta content="text/html; charset=Shift_JIS"><p>\x93\x8c\x8b\x9e</p>', '東京', 'Shift_JIS'],
  ])('and as it says itself: %j', async (bytes, text, encoding) => {
    expect(await recognise('a.html', Buffer.from(bytes, 'latin1'))).toMatchObject({
      text: expect.stringContaining(text),
      note: `it was read as ${encoding}, as it says`,
    });
  });

  test('and UTF-8 with a few wrong bytes stays UTF-8, with their number', async () => {
    const bytes = Buffer.concat([Buffer.from('Größe: 5 €\n'), Buffer.from([0xc3]), Buffer.from('\nÄnderung')]);
    expect(await recognise('a.log', bytes)).toEqual({
      kind: 'text',
      mediaType: 'text/plain',
      text: 'Größe: 5 €\n\uFFFD\nÄnderung',
      note: '1 places in it are not UTF-8, and are shown as \uFFFD',
    });
  });

  test('and a few NULs in it are left out, which data and lists have more of', async () => {
    const log = `${'All is well.\n'.repeat(3)}All is well.\n${'\0'.repeat(900)}All is w\0ell.\nGröße: 5 €\n`;
    expect(await recognise('a.log', Buffer.from(log))).toEqual({
      kind: 'text',
      mediaType: 'text/plain',
      text: `${'All is well.\n'.repeat(5)}Größe: 5 €\n`,
      note: 'NULs at 2 places in it are left out',
    });
    expect((await recognise('a', Buffer.from('one.txt\0two .txt\0'))).kind).toBe('binary');
  });
});

test.each([
  ['{"a": 1}\n{"a": 2}\n', 'application/jsonl'],
  ['[{"a": 1},\n{"a": 2}]\n', 'application/json'],
  ['{\n"a": 1}', 'application/json'],
  ['{"a": 1}', 'application/json'],
])('a .json file is JSON lines where each line is a value: %j', async (text, mediaType) => {
  expect(await recognise('a.json', Buffer.from(text))).toMatchObject({ kind: 'json', mediaType });
});
