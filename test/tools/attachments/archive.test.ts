import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { attachmentOf, keepFile, membersOf } from '../../../src/tools/attachments/run-files.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import type { RunFile } from '../../../src/store/store.ts';
import { activityBench } from '../../support/activity-bench.ts';
import { fixture, pixel } from '../../support/files.ts';
import { docxOf, workbookOf } from '../../support/office.ts';
import { zipOf, type Zipped } from '../../support/zip.ts';

const bench = activityBench();
afterAll(() => bench.close());

let workflowId: string;
let run = 0;
beforeEach(() => {
  workflowId = `w-${++run}`;
});

async function keep(bytes: Buffer, name = 'a.zip'): Promise<RunFile> {
  const found = await recognise(name, bytes);
  return keepFile(bench.store, workflowId, { name, bytes, found, from: 'attachment' });
}

const files = (): Promise<RunFile[]> => bench.store.files(workflowId);
const names = async (): Promise<string[]> => (await files()).map(({ name }) => name).sort();
const textOf = async (name: string): Promise<string> => {
  const { text = '' } = (await bench.store.file(workflowId, name)) ?? {};
  return bench.store.blob(text);
};

describe('an archive', () => {
  test("'s files become files of the run, each of its own kind, with their bytes", async () => {
    const members = {
      'data/towns.csv': 'town,people\nOslo,717710\n',
      'photo.png': pixel,
      'book.xlsx': workbookOf({ S: [['x', 1]] }),
      'letters\\letter.docx': docxOf('<w:p><w:r><w:t>Dear</w:t></w:r></w:p>'),
      'folder/': '',
      'letters\\': '',
    };
    const archive = await keep(zipOf(members));
    expect(archive).toMatchObject({ kind: 'archive', mediaType: 'application/zip' });
    expect(archive.note).toBeUndefined();
    expect(await textOf('a.zip')).toMatch(
      /^data\/towns\.csv \(24 bytes\)\nphoto\.png \(70 bytes\)\nbook\.xlsx \(.*\)\nletters\/letter\.docx/,
    );
    const kinds = (await files()).map(({ kind, name }) => [name, kind]);
    expect(kinds).toEqual([
      ['a.zip/data/towns.csv', 'table'],
      ['a.zip/photo.png', 'image'],
      ['a.zip/book.xlsx', 'workbook'],
      ['a.zip/letters/letter.docx', 'document'],
      ['a.zip', 'archive'],
    ]);
    expect(await textOf('a.zip/letters/letter.docx')).toBe('Dear');
    for (const file of await files()) {
      const bytes = Buffer.from(await bench.store.object(file.content ?? ''));
      expect(bytes.length).toBe(file.bytes);
      const [, path = ''] = file.name.split('a.zip/');
      if (path in members) expect(bytes).toEqual(Buffer.from(members[path as keyof typeof members]));
    }
  });

  test('in it is unpacked too, but not one in that', async () => {
    const innermost = zipOf({ 'deep.txt': 'too deep' });
    await keep(zipOf({ 'inner.zip': zipOf({ 'b.txt': 'b', 'innermost.zip': innermost }) }));
    expect(await names()).toEqual([
      'a.zip',
      'a.zip/inner.zip',
      'a.zip/inner.zip/b.txt',
      'a.zip/inner.zip/innermost.zip',
    ]);
    const last = (await files()).find(({ name }) => name.endsWith('innermost.zip'));
    expect(last?.note).toBe('it was not unpacked: it is an archive in an archive in an archive');
  });
});

describe('an archive of gzip and tar', () => {
  test.each<[string, string[]]>([
    ['towns.csv.gz', ['towns.csv']],
    ['papers.tar', ['papers/data/towns.csv', `papers/${'long-'.repeat(30)}name.txt`]],
    ['papers.tar.gz', ['papers/data/towns.csv', `papers/${'long-'.repeat(30)}name.txt`]],
  ])('has its files as one of zip has: %s', async (name, paths) => {
    const { kind, note } = await keep(fixture(name), name);
    expect(kind).toBe('archive');
    expect(note).toBe(paths.length === 1 ? undefined : 'of its 3 files 1 were left out: papers/link (a link)');
    expect(await names()).toEqual([name, ...paths.map((path) => `${name}/${path}`)].sort());
    expect(await textOf(`${name}/${paths[0]}`)).toBe('town,people\nOslo,717710\nBergen,291940\n');
  });

  test('is unpacked where it is in one of zip, and so is a zip in that', async () => {
    const { note } = await keep(fixture('nested.zip'), 'nested.zip');
    expect(note).toBeUndefined();
    expect(await names()).toEqual(
      expect.arrayContaining([
        'nested.zip/inner.zip/deep/answer.txt',
        'nested.zip/papers.tar.gz/papers/data/towns.csv',
      ]),
    );
  });

  test.each<[string, Buffer, RegExp]>([
    [
      'cut off',
      fixture('papers.tar.gz').subarray(0, 200),
      /^it was not unpacked: it is damaged \(unexpected end of file\)$/,
    ],
    ['a tar that is cut off', fixture('papers.tar').subarray(0, 2100), /^it was not unpacked: /],
    [
      'a bomb',
      gzipSync(Buffer.alloc(100_000_001)),
      /^it was not unpacked: it has more bytes unpacked; at most 100,000,000 are read$/,
    ],
    [
      'a file that is too large',
      gzipSync(Buffer.alloc(20_000_001)),
      /a \(20,000,001 bytes; at most 20,000,000 are read\)/,
    ],
  ])('has a note alone where it is %s', async (_, bytes, note) => {
    expect((await keep(bytes, 'a.gz')).note).toMatch(note);
    expect(await names()).toEqual(['a.gz']);
  });

  test('a bomb takes all that its neighbours might', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_001));
    await keep(zipOf({ '1.gz': bomb, '2.gz': bomb, '3.zip': zipOf({ 'a.txt': 'a' }) }));
    const notes = (await files()).map(({ name, note }) => [name, note]);
    expect(notes).toEqual([
      ['a.zip/1.gz', expect.stringMatching(/; at most 9\d,\d{3},\d{3} are read$/)],
      ['a.zip/2.gz', 'it was not unpacked: it has more bytes unpacked; at most 0 are read'],
      ['a.zip/3.zip', expect.stringMatching(/at most 0 are read$/)],
      ['a.zip', undefined],
    ]);
  });
});

describe('a message', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const message = [
    'From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>',
    'Subject: =?utf-8?B?R3LDtsOfZQ==?=',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="x"',
    '',
    '--x',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'It weighs 4.711=C2=A0kg',
    '--x',
    'Content-Type: text/csv; name="ports.csv"',
    'Content-Disposition: attachment; filename="ports.csv"',
    'Content-Transfer-Encoding: base64',
    '',
    base64('port,tons\nKiel,77\n'),
    '--x--',
    '',
  ].join('\r\n');

  test('is its text with its headers, and the files that are attached', async () => {
    expect(await keep(Buffer.from(message), 'a.eml')).toMatchObject({ kind: 'archive', mediaType: 'message/rfc822' });
    expect(await names()).toEqual(['a.eml', 'a.eml/message.txt', 'a.eml/ports.csv']);
    expect(await textOf('a.eml/message.txt')).toMatch(
      /^From: Jürgen <j@example.org>\nSubject: Größe\n\nIt weighs 4.711\u00a0kg\s*$/,
    );
    expect(await textOf('a.eml/ports.csv')).toBe('port,tons\nKiel,77\n');
  });

  test('that is a page has the page, and its words', async () => {
    const page = `Subject: Page\nMIME-Version: 1.0\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\n${base64('<style>p{}</style><p>2962 m</p><table><tr><td>a<td>1<tr><td>b<td><a href="https://x.org">2</a></table>')}\n`;
    await keep(Buffer.from(page), 'a.mhtml');
    expect(await textOf('a.mhtml/message.html')).toContain('<p>2962 m</p>');
    expect(await textOf('a.mhtml/message.txt')).toBe(
      'Subject: Page\n\n[the words of message.html]\n2962 m\na | 1\nb | 2',
    );
  });

  test('may be one of many in a file', async () => {
    const many = `From j@example.org Tue May  5 10:11:12 2026\n${message}\n\nFrom b@example.org Tue May  5 10:11:13 2026\nFrom: b\nSubject: Re\n\n>From here\n`;
    await keep(Buffer.from(many), 'a.mbox');
    expect(await names()).toContain('a.mbox/message-1.eml/ports.csv');
    expect(await textOf('a.mbox/message-2.eml/message.txt')).toMatch(/\n\nFrom here\s*$/);
  });

  test('is not cut where a sentence begins like the next one', async () => {
    const many = `From j@example.org Tue May  5\nFrom: j\nSubject: Re\n\nOn we went.\n\nFrom here it is\n77 miles.\n\nFrom b@example.org\nFrom: b\nSubject: Re\n\nAye.\n`;
    await keep(Buffer.from(many), 'a.mbox');
    expect((await names()).filter((name) => /\d\.eml$/.test(name))).toHaveLength(2);
    expect(await textOf('a.mbox/message-1.eml/message.txt')).toMatch(/\n\nFrom here it is\n77 miles\.\s*$/);
  });

  test('keeps all files that are attached under one name', async () => {
    const part = message.slice(message.indexOf('--x\r\nContent-Type: text/csv'), message.indexOf('--x--'));
    await keep(Buffer.from(message.replace('--x--', `${part.replaceAll('ports', 'PORTS')}--x--`)), 'a.eml');
    expect(await names()).toEqual(['a.eml', 'a.eml/PORTS-2.csv', 'a.eml/message.txt', 'a.eml/ports.csv']);
  });

  test.each(['Dear Ada,\n\nFrom: here', 'From: me\nTo: you\n\nHello', 'key: value\nother: value\n'])(
    'is none where a text has no more than %j',
    async (text) => expect((await recognise('a.txt', Buffer.from(text))).kind).toBe('text'),
  );
});

test('the pages of a picture are files of the run as well', async () => {
  const fax = await keep(fixture('fax.tif'), 'fax.tif');
  expect(fax).toMatchObject({ kind: 'image', note: 'its other pages are fax.tif/page-2.png and so on, up to page 3' });
  expect(await names()).toEqual(['fax.tif', 'fax.tif/page-2.png', 'fax.tif/page-3.png']);
  expect((await attachmentOf(bench.store, fax)).image).toMatchObject({ mediaType: 'image/png' });
  expect((await membersOf(bench.store, workflowId, fax)).map(({ name }) => name)).toEqual([
    'fax.tif/page-2.png',
    'fax.tif/page-3.png',
  ]);
});

describe('any bytes are kept, and what cannot be read has a note', () => {
  const beginnings = ['', 'PK\x03\x04', '\x1f\x8b\x08\0', '%PDF-1.7\n', 'II*\0', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'];
  const made = ['papers.tar', 'towns.csv.gz', 'picture.tif', 'german.csv', 'locked.pdf', 'nested.zip'];

  test('whatever they are, and whatever damaged them', async () => {
    const random = fc
      .tuple(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 300 }))
      .map(([beginning, rest]) => Buffer.concat([Buffer.from(beginning, 'latin1'), rest]));
    const damaged = fc.tuple(fc.constantFrom(...made), fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 40 }));
    const broken = damaged.map(([name, place, wrong]) => {
      const bytes = Buffer.from(fixture(name));
      bytes.set(wrong.slice(0, bytes.length), place % Math.max(1, bytes.length - wrong.length));
      return bytes;
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(random, broken),
        fc.constantFrom('.csv', '.json', '.pdf', '.gz', '.bin', ''),
        async (bytes, ending) => {
          const { image, note, text } = await keep(bytes, `file-${++count}${ending}`);
          expect(text ?? image ?? note).toMatch(/./);
        },
      ),
      { numRuns: 25 },
    );
  });
});

const claiming = (bytes: number): Zipped => ({ content: 'x', claims: bytes });

describe('a file of an archive is left out, and the note says why, where', () => {
  test.each<[string, Record<string, string | Buffer | Zipped>, RegExp]>([
    ['its path leads out', { '../../etc/passwd': 'x' }, /\.\.\/\.\.\/etc\/passwd \(its path leads out of the archive/],
    ['its path is absolute', { '/etc/passwd': 'x' }, /its path leads out/],
    ['its path has backslashes', { '..\\..\\boot.ini': 'x' }, /its path leads out|cannot be used/],
    [
      'its path has control characters',
      { 'a\n\u001b[2Jb.txt': 'x' },
      /^of its 2 files 1 were left out: a\?\?\[2Jb\.txt \(its path leads out/,
    ],
    ['it is a link', { passwd: { content: '/etc/passwd', mode: 0o120777 } }, /passwd \(a link\)/],
    ['it is encrypted', { 'secret.txt': { content: 'x', encrypted: true } }, /secret\.txt \(it needs a password\)/],
    ['it is too large', { 'big.txt': claiming(21_000_000) }, /21,000,000 bytes; at most 20,000,000 are read/],
    [
      'it is larger than it says',
      { 'lies.txt': { content: Buffer.alloc(100_000), claims: 10 } },
      /lies\.txt \(damaged: too many bytes/,
    ],
    ['it is smaller than it says', { 'lies.txt': { content: 'abc', claims: 1000 } }, /lies\.txt \(damaged: /],
    [
      'it is packed in another way',
      { 'a.txt': { content: 'x', way: 9 } },
      /\(packed by Deflate64, which is not read\)/,
    ],
    ['of whatever number', { 'a.txt': { content: 'x', way: 77 } }, /\(packed by way 77, which is not read\)/],
    ['another has the same path', { 'B.txt': 'x', 'b.txt': 'y' }, /b\.txt \(another file has the same path\)/],
    ['the packing program made it', { '__MACOSX/._a.txt': 'x' }, /made by the packing program/],
  ])('%s', async (_, members, note) => {
    const archive = await keep(zipOf({ 'good.txt': 'Good.', ...members }));
    expect(archive.note).toMatch(note);
    expect(await textOf('a.zip/good.txt')).toBe('Good.');
    expect((await names()).filter((name) => !/good|\.zip$|B\.txt/.test(name))).toEqual([]);
  });

  test('none is, but those of Pages, Numbers and Keynote are said to be no texts', async () => {
    const { note } = await keep(zipOf({ 'Index/Document.iwa': '\0\x03\xff' }), 'a.pages');
    expect(note).toMatch(/^it is a document of Pages, Numbers or Keynote/);
  });

  test('many are, of which it names five', async () => {
    const links = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`l${index}`, { content: '/', mode: 0o120777 }]),
    );
    const { note } = await keep(zipOf({ 'good.txt': 'Good.', ...links }));
    expect(note).toMatch(/^of its 21 files 20 were left out: (l\d \(a link\), ){4}l4 \(a link\) and 15 more$/);
  });
});

describe('an archive is not unpacked at all', () => {
  const hundred = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${index}.txt`, claiming(11_000_000)]));
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${index}.txt`, 'x']));
  test.each<[string, Buffer, RegExp]>([
    ['with too many files', zipOf(many), /^it was not unpacked: it has 5,000 files; at most 200 are read$/],
    [
      'with too many bytes',
      zipOf(hundred),
      /^it was not unpacked: its files have 110,000,000 bytes unpacked; at most 100/,
    ],
    [
      'that claims to have petabytes',
      zipOf({ 'a.txt': { content: 'x', claims: 4_000_000_000 } }),
      /4,000,000,000 bytes unpacked/,
    ],
    ['that is cut off', zipOf({ 'a.txt': 'x' }).subarray(0, 40), /^it was not unpacked: .*truncated/],
    ['that is empty', Buffer.from('PK\x03\x04', 'latin1'), /^it was not unpacked: /],
  ])('%s', async (_, bytes, note) => {
    const archive = await keep(bytes);
    expect(archive.note).toMatch(note);
    expect(await names()).toEqual(['a.zip']);
    expect(archive.content).toBeDefined();
  });

  test('when archives in it take what is left', async () => {
    const inner = zipOf(Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`${index}.txt`, 'x'])));
    await keep(zipOf({ 'one.zip': inner, 'two.zip': inner }));
    const all = await names();
    const taken = ['one', 'two'].map((each) => all.filter((name) => name.startsWith(`a.zip/${each}.zip/`)).length);
    expect(taken).toEqual([120, 0]);
    expect(await bench.store.file(workflowId, 'a.zip/two.zip')).toMatchObject({
      note: 'it was not unpacked: it has 120 files; at most 78 are read',
    });
  });
});
