import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from '../../src/util/folders.ts';

const base = mkdtempSync(join(tmpdir(), 'reprise-make-folder-'));
afterAll(() => rmSync(base, { recursive: true }));

test('a folder is made with those above it and its permissions, and one that is there stays as it is', () => {
  const folder = join(base, 'a/b');
  makeFolder(folder, 0o700);
  makeFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a link to a folder is one', () => {
  mkdirSync(join(base, 'target'));
  symlinkSync(join(base, 'target'), join(base, 'link'));
  makeFolder(join(base, 'link/in it'));
  expect(statSync(join(base, 'target/in it')).isDirectory()).toBe(true);
});

test.each(['file', 'file/x', 'dangling', 'dangling/x'])(
  'below a file or behind a link to nothing none is made: %s',
  (name) => {
    writeFileSync(join(base, 'file'), '');
    rmSync(join(base, 'dangling'), { force: true });
    symlinkSync(join(base, 'nothing'), join(base, 'dangling'));
    expect(() => makeFolder(join(base, name))).toThrow(/EEXIST|ENOTDIR/);
  },
);

test.skipIf(process.platform !== 'linux')('where no folder can be made the attempt ends', () => {
  for (const path of ['/proc/none', '/proc/none/x']) expect(() => makeFolder(path)).toThrow('ENOENT');
});
