import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderReading, type FileRead } from '../../../src/tools/workspaces/folder-reading.ts';
import { stampOf } from '../../../src/tools/workspaces/stamps.ts';

let home: string;
let folder: string;
let outside: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'reprise-swapped-'));
  [folder, outside] = [join(home, 'folder'), join(home, 'outside')];
  for (const each of [join(folder, 'sub'), outside]) mkdirSync(each, { recursive: true });
  for (const each of ['known', 'file', 'sub/inner']) writeFileSync(join(folder, each), 'inside');
  for (const each of ['inner', 'file']) writeFileSync(join(outside, each), 'SECRET');
});
afterEach(() => rmSync(home, { recursive: true }));

const limits = { files: 100, folders: 100, bytes: 100_000, fileBytes: 1000 };

/** Reads the folder, with something done to it as soon as the known file has been seen. */
function read(swap: () => void): { files: FileRead[]; text: string; leftOut: string[] } {
  const files: FileRead[] = [];
  let text = '';
  const known = new Map([['known', stampOf(lstatSync(join(folder, 'known'), { bigint: true }))]]);
  const reading = new FolderReading({ folder, skipped: [], leftOut: [], limits }, known, (some, content) => {
    files.push(...some);
    text += Buffer.from(content).toString();
  });
  return { ...reading.run(swap), files, text };
}

type Swap = [what: string, swap: () => void];

const swaps: Swap[] = [
  [
    'a folder by a link',
    () => {
      renameSync(join(folder, 'sub'), join(folder, 'away'));
      symlinkSync(outside, join(folder, 'sub'));
    },
  ],
  [
    'a file by a link',
    () => {
      unlinkSync(join(folder, 'file'));
      symlinkSync(join(outside, 'file'), join(folder, 'file'));
    },
  ],
  [
    'a file by a fifo',
    () => {
      unlinkSync(join(folder, 'file'));
      execFileSync('mkfifo', [join(folder, 'file')]);
    },
  ],
  [
    'a file by a folder',
    () => {
      unlinkSync(join(folder, 'file'));
      mkdirSync(join(folder, 'file'));
    },
  ],
  [
    'a folder by a file',
    () => {
      rmSync(join(folder, 'sub'), { recursive: true });
      writeFileSync(join(folder, 'sub'), 'inside');
    },
  ],
  ['a file by one that is too large', () => writeFileSync(join(folder, 'file'), 'x'.repeat(2000))],
  [
    'everything by nothing',
    () => {
      for (const each of ['file', 'sub']) rmSync(join(folder, each), { recursive: true });
    },
  ],
];

test.each(swaps)('what is swapped while a folder is read leads nowhere: %s', (_, swap) => {
  const { text } = read(swap);
  expect(text).not.toContain('SECRET');
  expect(text).not.toContain('xxx');
  expect(readFileSync(join(outside, 'inner'), 'utf8')).toBe('SECRET');
});

test('the folder itself by a link, it is not read on', () => {
  const { files, text } = read(() => {
    renameSync(folder, join(home, 'away'));
    symlinkSync(outside, folder);
  });
  expect(text).not.toContain('SECRET');
  expect(files).toEqual([]);
});
