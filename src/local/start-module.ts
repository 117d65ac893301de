import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { privateFolder, privateMode } from '../util/private-files.ts';

interface Started extends Pick<SpawnOptions, 'cwd' | 'detached' | 'env'> {
  log: string;
  hasChannel?: boolean;
  nodeOptions?: string[];
}

/** Starts a module of this package in a process of its own. @param module its path below `src`, without an ending */
export function startModule(
  module: string,
  words: string[],
  { log, hasChannel = false, nodeOptions = [], ...options }: Started,
): ChildProcess {
  privateFolder(dirname(log));
  const output = openSync(log, 'a', privateMode.file);
  const file = fileURLToPath(new URL(`../${module}${extname(import.meta.url)}`, import.meta.url));
  const child = spawn(process.execPath, [...nodeOptions, file, ...words], {
    ...options,
    stdio: ['ignore', output, output, ...(hasChannel ? ['ipc' as const] : [])],
  });
  closeSync(output);
  return child;
}
