import { chownSync, chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { protectHome, UnsafeHomeError } from '../../src/local/protect-home.ts';

const hasModes = process.platform !== 'win32';
const isRoot = process.geteuid?.() === 0;
if (!hasModes) console.warn('SKIPPED: Windows has no permissions of this kind, so that homes are not tried for them');
else if (!isRoot) console.warn('SKIPPED: homes of other users are tried by root only');

/** Some user that is neither this one nor root. */
const somebody = 4711;

let folder: string;
let said: string[];
const say = (text: string): void => void said.push(text);
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reprise-home-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!hasModes)('a home folder', () => {
  test('is made for its user alone, whatever the umask says', () => {
    const umask = process.umask(0);
    try {
      protectHome(join(folder, 'deep', 'home'), say);
    } finally {
      process.umask(umask);
    }
    expect(modeOf(join(folder, 'deep', 'home'))).toBe('700');
    expect(said).toEqual([]);
  });

  test('that has been open is closed with what Reprise keeps there, and a line says so once', () => {
    const home = join(folder, 'home');
    const files = ['temporal.db', 'temporal.db-wal', 'store.sqlite', 'store.sqlite-shm', 'secret', 'up.json'];
    const inFolders = ['logs/temporal.log', 'bundles/1.js', 'logins/1.json', 'workers/1/up.json'];
    mkdirSync(join(home, 'workers', '1'), { recursive: true });
    for (const name of ['logs', 'bundles', 'logins']) mkdirSync(join(home, name));
    for (const name of [...files, ...inFolders, 'mine.txt']) writeFileSync(join(home, name), '', { mode: 0o644 });
    chmodSync(home, 0o755);
    protectHome(home, say);
    expect(modeOf(home)).toBe('700');
    for (const name of [...files, ...inFolders]) expect([name, modeOf(join(home, name))]).toEqual([name, '600']);
    for (const name of ['logs', 'workers', 'workers/1'])
      expect([name, modeOf(join(home, name))]).toEqual([name, '700']);
    expect(modeOf(join(home, 'mine.txt'))).toBe('644');
    expect(said).toEqual([`${home} was open to other users of this machine (755); it is closed to them now`]);
    protectHome(home, say);
    expect(said).toHaveLength(1);
  });

  test('may be a link into a place of its own user; a link inside is left alone', () => {
    const [home, real, other] = [join(folder, 'home'), join(folder, 'real'), join(folder, 'other')];
    mkdirSync(real, { mode: 0o755 });
    writeFileSync(other, '', { mode: 0o644 });
    symlinkSync(other, join(real, 'secret'));
    symlinkSync(real, home);
    protectHome(home, say);
    expect(modeOf(real)).toBe('700');
    expect(modeOf(other)).toBe('644');
  });
});

describe.skipIf(!hasModes || !isRoot)('a home folder of somebody else', () => {
  const refusal = (path: string): string => {
    try {
      protectHome(path, say);
    } catch (error) {
      if (error instanceof UnsafeHomeError) return error.message;
      throw error;
    }
    return 'taken';
  };

  test('is refused', () => {
    chownSync(folder, somebody, somebody);
    expect(refusal(folder)).toBe(
      `The folder of Reprise's data is not safe: ${folder} belongs to user ${somebody}, and this is user 0. ` +
        'Let REPRISE_HOME name a folder of your own',
    );
  });

  test('is refused as the target of a link, also where only a folder above it is theirs', () => {
    const [home, theirs] = [join(folder, 'home'), join(folder, 'theirs')];
    mkdirSync(join(theirs, 'below', 'data'), { recursive: true });
    chownSync(theirs, somebody, somebody);
    symlinkSync(join(theirs, 'below', 'data'), home);
    expect(refusal(home)).toContain(`${home} is a link into ${theirs}, which belongs to user ${somebody}`);
  });
});
