import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { toolBench } from '../../support/tool-bench.ts';

const outside = mkdtempSync(join(tmpdir(), 'reprise-outside-'));
writeFileSync(join(outside, 'secret.md'), 'A secret.');
const bench = toolBench({
  'notes/bread.md': '# Bread\n\nRye bread needs twelve hours. Wheat bread needs three.\n',
  'numbers.txt': 'one\ntwo\nthree\nfour',
  '.env': 'KEY=secret',
  'picture.bin': 'P\0NG',
});
writeFileSync(join(bench.folder, 'latin.txt'), Buffer.from('Größe und Länge, für alle Fälle', 'latin1'));
symlinkSync(join(outside, 'secret.md'), join(bench.folder, 'link.md'));
symlinkSync(outside, join(bench.folder, 'linked'));
symlinkSync(join(bench.folder, 'numbers.txt'), join(bench.folder, 'inside.txt'));
afterAll(async () => {
  await bench.close();
  rmSync(outside, { recursive: true, force: true });
});

const read = (path: string, rest: object = {}) =>
  bench.call({ name: 'read_file', source: { package: 'builtin.files' } }, { path, ...rest }).result;
const search = (query: string, rest: object = {}) =>
  bench.call({ name: 'search_texts', source: { package: 'builtin.search' } }, { query, ...rest }).result;

describe('read_file', () => {
  test.each([
    ['a whole text', 'numbers.txt', {}, 'one\ntwo\nthree\nfour'],
    ['a part by its lines', 'numbers.txt', { offset: 2, limit: 2 }, 'two\nthree\n[lines 2 to 3 of 4]'],
    ['by a link that stays inside', 'inside.txt', { limit: 1 }, 'one\n[lines 1 to 1 of 4]'],
    ['what a folder holds', 'notes', {}, 'notes/ holds:\nbread.md'],
  ])('gives %s', async (_, path, rest, text) => {
    expect(await read(path, rest)).toEqual({ status: 'ok', text });
  });

  test('says how it has read what is not UTF-8', async () => {
    const { text } = await read('latin.txt');
    expect(text).toBe(
      'Größe und Länge, für alle Fälle\n[latin.txt: it was read as Windows-1252, which its bytes look like]',
    );
  });

  test('lists the folder itself, without what is hidden', async () => {
    const { text } = await read('.');
    expect(text.split('\n')).toContain('notes/');
    expect(text).not.toMatch(/env/);
  });

  test.each([
    ['a path that leads out', '../secret.md', /is not inside the folder of texts/],
    ['an absolute one', join(outside, 'secret.md'), /is not inside/],
    ['a link that leads out', 'link.md', /is not inside/],
    ['a linked folder', 'linked/secret.md', /is not inside/],
    ['a hidden file', '.env', /\.env is not read/],
    ['what there is not', 'absent.md', /^there is no absent\.md; read_file with "\."/],
    ['what is no text', 'picture.bin', /^picture\.bin is not a text$/],
  ])('refuses %s', async (_, path, message) => {
    expect(await read(path)).toEqual({ status: 'error', text: expect.stringMatching(message) });
  });

  test('refuses a line that there is not', async () => {
    expect(await read('numbers.txt', { offset: 5 })).toEqual({
      status: 'error',
      text: 'numbers.txt has 4 lines; there is no line 5',
    });
  });
});

describe('search_texts', () => {
  test('gives the sentences that fit best, with file, line and heading', async () => {
    const { text } = await search('How long does rye bread take?', { max_results: 1 });
    expect(text).toBe('notes/bread.md:3 (Bread): Rye bread needs twelve hours.');
  });

  test('says so where nothing is found', async () => {
    expect(await search('zeppelin')).toEqual({ status: 'ok', text: 'Nothing was found.' });
  });
});
