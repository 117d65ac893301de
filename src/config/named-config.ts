import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Read } from './read-config.ts';

const endings = ['', '.yaml', '.yml', '.json'];
const isConfig = (file: string): boolean => /\.(ya?ml|json)$/.test(file);

/**
 * Reads a configuration by its name from the worker's configuration folder, with or without its ending.
 * Only files that stand in that folder itself can be named.
 *
 * @param read reads a file of the kinds that are wanted
 */
export function readNamedConfig<T>(name: string, folder: string, read: (file: string) => Read<T>): Read<T> {
  let files: string[] = [];
  try {
    files = readdirSync(folder).filter(isConfig).sort();
  } catch {
    // A worker without such a folder has no named configurations: said below.
  }
  const file = endings.map((ending) => name + ending).find((candidate) => files.includes(candidate));
  if (file !== undefined) return read(join(folder, file));
  const choices = files.length === 0 ? 'the worker has none' : `the worker has: ${files.join(', ')}`;
  return { ok: false, problems: [`config: there is no configuration named "${name}" (${choices})`] };
}
