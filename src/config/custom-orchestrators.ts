import { readdirSync, readFileSync, type Dirent } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** The files of a worker's extensions folder that export `handleText`, by their paths as in `./mine.ts`. */
export interface CustomOrchestrators {
  /** Those that it runs. */
  names: string[];
  /** Those that it does not, and why. */
  leftOut: Record<string, string>;
}

export const noOrchestrators: CustomOrchestrators = { names: [], leftOut: {} };

const modules = /(?<!\.d)\.(?:ts|mts|js|mjs)$/;

/**
 * The files below a folder that look as if they export `handleText`, by their paths as in `./sub/mine.ts`. Nothing is
 * run. What belongs to packages and hidden folders is left aside, and so is what cannot be read.
 */
export function findOrchestrators(folder: string): string[] {
  return filesBelow(folder)
    .filter((file) => exportsHandleText(textOf(file)))
    .map((file) => `./${relative(folder, file).split(sep).join('/')}`);
}

/** Whether a text looks like a module that exports `handleText` by its name; the bundler then knows for certain. */
export function exportsHandleText(text: string): boolean {
  return (
    /\bexport\s+(?:async\s+)?(?:function|const|let|var)\s*\*?\s*handleText\b/.test(text) ||
    /\bexport\s*\{[^}]*\bhandleText\b[^}]*\}/.test(text)
  );
}

function filesBelow(folder: string): string[] {
  return entriesOf(folder)
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() && modules.test(entry.name) ? [path] : [];
    });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) =>
      one.name < other.name ? -1 : 1,
    );
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
