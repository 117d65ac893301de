import { renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { privateFolder, privateMode } from './private-files.ts';

/** Writes a file of a home atomically: processes that read or write it at the same time never find half of it. */
export function writeAtomic(path: string, text: string): void {
  privateFolder(dirname(path));
  const part = `${path}.${process.pid}`;
  writeFileSync(part, text, { mode: privateMode.file });
  renameSync(part, path);
}
