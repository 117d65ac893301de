import { describe, expect, test } from 'vitest';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import { pdfOf, pixel } from '../../support/files.ts';

const gif = Buffer.from('GIF89a…');
const webp = Buffer.concat([Buffer.from('RIFF'), Buffer.from([9, 0, 0, 0]), Buffer.from('WEBPVP8 ')]);
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]);

describe('a file is', () => {
  test.each<[string, string, string | Buffer, object]>([
    ['a table by .csv', 'A.CSV', 'a,b', { kind: 'table', mediaType: 'text/csv', text: 'a,b' }],
    ['a table by .tsv', 'a.tsv', 'a\tb', { kind: 'table', mediaType: 'text/tab-separated-values' }],
    ['JSON by .json', 'a.json', '{', { kind: 'json', mediaType: 'application/json' }],
    ['JSON by .jsonl', 'a.jsonl', '{}', { kind: 'json', mediaType: 'application/jsonl' }],
    ['a text by its content, whatever its ending', 'a.py', 'x = "é"', { kind: 'text', text: 'x = "é"' }],
    ['a text without an ending', 'Makefile', 'all:', { kind: 'text', mediaType: 'text/plain' }],
    ['a text that speaks of PDFs', 'a.ts', 'const head = "%PDF-1.4";', { kind: 'text' }],
    ['a text without its byte order mark', 'a.md', '\uFEFF# Hi', { kind: 'text', text: '# Hi' }],
    ['a text though it is empty', 'a.txt', '', { kind: 'text', text: '' }],
    ['a PDF by its head', 'a.bin', pdfOf(['x']), { kind: 'pdf', mediaType: 'application/pdf' }],
    ['a PDF with something before it', 'a.pdf', '\n\n%PDF-1.4', { kind: 'pdf' }],
    ['a PNG by its first bytes', 'a.txt', pixel, { kind: 'image', mediaType: 'image/png' }],
    ['a JPEG', 'a', jpeg, { kind: 'image', mediaType: 'image/jpeg' }],
    ['a GIF', 'a', gif, { kind: 'image', mediaType: 'image/gif' }],
    ['a WebP', 'a', webp, { kind: 'image', mediaType: 'image/webp' }],
  ])('%s', async (_, name, content, found) => {
    expect(await recognise(name, Buffer.from(content))).toMatchObject(found);
  });

  test.each<[string, string, Buffer]>([
    ['that has NULs', 'a.txt', Buffer.from('a\0b')],
    ['in another encoding', 'a.csv', Buffer.from('preis;größe', 'latin1')],
    ['of an old office', 'a.doc', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\xff', 'latin1')],
  ])('none that is read, and those that are get named: one %s', async (_, name, bytes) => {
    expect(await recognise(name, bytes)).toMatch(/^is of no kind that is read; .*UTF-8.*\.csv.*\.json.*PDF.*PNG/);
  });
});

test.each<[string, Buffer, string]>([
  ['a file', Buffer.alloc(20_000_001, 'a'), 'has 20,000,001 bytes; at most 20,000,000 are read'],
  [
    'an image',
    Buffer.concat([pixel, Buffer.alloc(5_000_000)]),
    `has ${(5_000_000 + pixel.length).toLocaleString('en-US')} bytes; at most 5,000,000 of an image are read`,
  ],
])('what is too large is refused: %s', async (_, bytes, problem) => {
  expect(await recognise('a', bytes)).toBe(problem);
});
