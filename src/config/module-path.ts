import { posix } from 'node:path';

const endings = /\.(ts|mts|js|mjs)$/;

/** Whether a name is meant as the path of a module of the user's own. */
export const isModulePath = (name: string): boolean => /[/\\]/.test(name) || endings.test(name);

/** What is wrong with the path of a user's own module; undefined where nothing is. */
export function modulePathProblem(path: string): string | undefined {
  if (posix.normalize(path).startsWith('../') || path.startsWith('/'))
    return `"${path}" leaves the extensions folder: a module of your own is in it, as in ./my-module.ts`;
  if (!path.startsWith('./') || path.includes('\\') || !endings.test(path))
    return `"${path}" is no path of a module: it starts with ./ and ends with .ts, .mts, .js or .mjs`;
  return undefined;
}

/** One spelling for each file: `./sub/../mine.ts` is `./mine.ts`. */
export const modulePath = (path: string): string => `./${posix.normalize(path)}`;
