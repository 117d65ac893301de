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
  const ending = extname(import.meta.url);
  const file = fileURLToPath(new URL(`../${module}${ending}`, import.meta.url));
  // As in `bin/bootstrap.mjs`: in a clone, tools that import Reprise get its sources.
  const conditions = ending === '.ts' ? ['--conditions=reprise-source'] : [];
  const child = spawn(process.execPath, [...conditions, ...nodeOptions, file, ...words], {
    ...options,
    stdio: ['ignore', output, output, ...(hasChannel ? ['ipc' as const] : [])],
  });
  closeSync(output);
  return child;
}
