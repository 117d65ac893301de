import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateFolder, privateMode } from '../util/private-files.ts';

const secretFile = (home: string): string => join(home, 'secret');

/** 32 bytes in hexadecimal digits. */
const isSecret = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/**
 * The secret of a home folder (`REPRISE_HOME`), by which its owner's commands and workers know each other. Whoever needs it
 * first makes it.
 *
 * @throws `Error` where the file holds something else
 */
export function homeSecret(home: string): string {
  const file = secretFile(home);
  const found = read(file) ?? made(home, file);
  if (!isSecret(found)) {
    throw new Error(`${file} does not hold the secret of its folder: remove it, and start commands and workers again`);
  }
  // Files that are copied often come out readable for everybody.
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, privateMode.file);
  return found;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Makes the secret under another name first, so that nobody ever finds the file without it, and only one gets it made. */
function made(home: string, file: string): string {
  privateFolder(home);
  const part = `${file}.${randomUUID()}`;
  writeFileSync(part, randomBytes(32).toString('hex'), { mode: privateMode.file, flag: 'wx' });
  try {
    linkSync(part, file);
  } catch (error) {
    // Another process has been quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}
