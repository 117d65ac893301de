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
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { identityOf } from '../../../src/tools/workspaces/open-folder.ts';
import { readFolder, type KnownFile } from '../../../src/tools/workspaces/read-folder.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';

const base = mkdtempSync(join(tmpdir(), 'reprise-swapped-'));
const store = openSqliteStore(join(base, 'store.sqlite'));
const home = join(base, 'home');
const [folder, outside] = [join(home, 'folder'), join(home, 'outside')];
function make(): void {
  for (const each of [join(folder, 'sub'), outside]) mkdirSync(each, { recursive: true });
  for (const each of ['known', 'file', 'sub/inner']) writeFileSync(join(folder, each), 'inside');
  for (const each of ['inner', 'file']) writeFileSync(join(outside, each), 'SECRET');
}
beforeEach(make);
afterEach(() => rmSync(home, { recursive: true }));
afterAll(async () => {
  await store.close();
  rmSync(base, { recursive: true });
});

/** Knows nothing, and does something as soon as it is asked for a file for so many times, which is while a folder is read. */
class Swapping extends Map<string, KnownFile> {
  readonly #swap: () => void;
  #asked: number;

  constructor(swap: () => void, at: number) {
    super();
    [this.#swap, this.#asked] = [swap, at];
  }

  override get(): undefined {
    if (--this.#asked === 0) this.#swap();
    return undefined;
  }
}

const limits = { files: 100, folders: 100, bytes: 100_000, fileBytes: 1000 };

/** Reads the folder, with something done to it meanwhile. @param at after how many files, of three and a folder */
async function read(swap: () => void, at: number): Promise<{ texts: string[]; leftOut: string[] }> {
  const { files, leftOut } = await readFolder(store, folder, { limits, known: new Swapping(swap, at) });
  const texts = [...files.values()].map(async ({ id }) => Buffer.from(await store.object(id)).toString());
  return { texts: await Promise.all(texts), leftOut };
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

const moments = [1, 2, 3, 4];

test.each(swaps)('what is swapped while a folder is read leads nowhere: %s', async (_, swap) => {
  for (const at of moments) {
    const { texts } = await read(swap, at);
    expect(new Set([...texts, 'inside'])).toEqual(new Set(['inside']));
    expect(readFileSync(join(outside, 'inner'), 'utf8')).toBe('SECRET');
    rmSync(home, { recursive: true });
    make();
  }
});

test('the folder itself by a link, what is read on is the folder that it was', async () => {
  const { texts } = await read(() => {
    renameSync(folder, join(home, 'away'));
    symlinkSync(outside, folder);
  }, 1);
  expect(texts).toEqual(['inside', 'inside', 'inside']);
});

test('the folder itself by another one before it is read, it is refused', async () => {
  const identity = identityOf(lstatSync(folder, { bigint: true }));
  renameSync(folder, join(home, 'away'));
  renameSync(outside, folder);
  await expect(readFolder(store, folder, { identity })).rejects.toThrow('another folder is in its place');
});
