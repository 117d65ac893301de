import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  attachmentNames,
  attachmentProblems,
  loadAttachment,
  resolveAttachments,
} from '../../../src/tools/attachments/load.ts';
import type { AttachmentInput } from '../../../src/protocol/attachment.ts';
import { folderOf } from '../../support/extensions.ts';
import { pdfOf } from '../../support/files.ts';

const folder = folderOf({ 'sales.csv': 'a,b\n1,2\n', 'bad.json': '{' });
mkdirSync(join(folder, 'inner'));
writeFileSync(join(folder, 'cut.pdf'), pdfOf(['x']).subarray(0, 200));
writeFileSync(join(folder, 'program'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]));
writeFileSync(join(folder, 'huge.txt'), '');
truncateSync(join(folder, 'huge.txt'), 20_000_001);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the names of attachments', () => {
  test.each<[string, AttachmentInput[], string[]]>([
    ['are the last parts of their paths', ['x/a.csv', '/b.md', 'C:\\c.txt'], ['a.csv', 'b.md', 'c.txt']],
    ['are numbered where they come again', ['a.csv', 'x/a.csv', 'A.csv'], ['a.csv', 'a-2.csv', 'A-3.csv']],
    ['keep clear of numbers that are there', ['a.csv', 'x/a.csv', 'a-2.csv'], ['a.csv', 'a-2.csv', 'a-2-2.csv']],
    ['may be given, without a path', [{ path: 'a.csv', name: '../../sales.csv' }], ['sales.csv']],
    ['stand on one line', [{ name: 'a\nb\u0000.csv', data: '' }], ['a b .csv']],
    ['are made up where there is none', ['..', { name: '', data: '' }], ['attachment-1', 'attachment-2']],
    ['are not too long', [`${'x'.repeat(300)}.csv`], [`${'x'.repeat(116)}.csv`]],
  ])('%s', (_, inputs, names) => {
    expect(attachmentNames(inputs)).toEqual(names);
  });
});

describe('what keeps a run from starting is told before, with its file', () => {
  test.each<[string, AttachmentInput, string | RegExp]>([
    ['a file that is missing', 'none.csv', `none.csv: there is no file ${join(folder, 'none.csv')}`],
    ['a folder', 'inner', 'inner: is a folder; attach the files in it one by one'],
    ['a file as a folder', 'sales.csv/a', `sales.csv/a: there is no file ${join(folder, 'sales.csv/a')}`],
    ['what is no file', '/dev/null', '/dev/null: is not a file'],
    ['a file that is too large', 'huge.txt', 'huge.txt: has 20,000,001 bytes; at most 20,000,000 are read'],
    ['what is no base64', { name: 'a.csv', data: 'a,b' }, 'a.csv: its data is not base64'],
  ])('%s', async (_, input, problem) => {
    expect(await attachmentProblems(['sales.csv', input], folder)).toEqual([
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    ]);
  });

  test('all of them at once', async () => {
    expect(await attachmentProblems(['none', 'inner', 'sales.csv'], folder)).toHaveLength(2);
  });

  test('more than twenty files', async () => {
    const many = Array.from({ length: 21 }, () => 'sales.csv');
    expect(await attachmentProblems(many, folder)).toEqual(['21 files are attached; a run takes at most 20']);
    expect(await attachmentProblems(many.slice(1), folder)).toEqual([]);
  });

  test('but what can be read in part, or not at all, is none', async () => {
    expect(await attachmentProblems(['cut.pdf', 'bad.json', 'program'], folder)).toEqual([]);
  });
});

describe('an attachment is loaded', () => {
  test.each<[string, AttachmentInput]>([
    ['from a relative path', 'sales.csv'],
    ['from an absolute one', join(folder, 'sales.csv')],
    ['from base64', { name: 'sales.csv', data: base64('a,b\n1,2\n') }],
    ['from base64 without padding, on several lines', { name: 'sales.csv', data: 'YSxiCj\nEsMgo' }],
    ['with a name of its own that has no ending', { path: 'sales.csv', name: 'Sales' }],
  ])('%s', async (_, input) => {
    expect(await loadAttachment(input, folder)).toEqual({
      bytes: Buffer.from('a,b\n1,2\n'),
      found: { kind: 'table', mediaType: 'text/csv', text: 'a,b\n1,2\n' },
    });
  });
});

test('relative paths are made absolute, and nothing else is changed', () => {
  const data = { name: 'c', data: '' };
  expect(resolveAttachments(['a', '/b', { path: 'a', name: 'n' }, data], folder)).toEqual([
    join(folder, 'a'),
    '/b',
    { path: join(folder, 'a'), name: 'n' },
    data,
  ]);
});
