import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is a folder itself or something in it. Links are not followed. */
export function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
