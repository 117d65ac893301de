import { readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';

const endings = /\.(ts|mts|js|mjs)$/;

/** The path of a user's own module, as a pattern for JSON Schema. */
export const modulePathPattern = '\\./.+\\.(?:ts|mts|js|mjs)';

/** Whether a name is meant as the path of a user's own module. */
export const isModulePath = (name: string): boolean => /[/\\]/.test(name) || endings.test(name);

export function modulePathProblem(path: string): string | undefined {
  if (posix.normalize(path).startsWith('../') || path.startsWith('/'))
    return `"${path}" leaves the extensions folder: a module of your own is in it, as in ./my-module.ts`;
  if (!path.startsWith('./') || path.includes('\\') || !endings.test(path))
    return `"${path}" is no path of a module: it starts with ./ and ends with .ts, .mts, .js or .mjs`;
  return undefined;
}

/** Spells a path in the one way that names its file: `./sub/../mine.ts` becomes `./mine.ts`. */
export const modulePath = (path: string): string => `./${posix.normalize(path)}`;

/** The files of a worker's extensions folder that export `handleText`, by their paths as in `./mine.ts`. */
export interface CustomOrchestrators {
  /** The files that the worker runs. */
  names: string[];
  /** The files that it does not run, each with the reason. */
  leftOut: Record<string, string>;
}

export const noOrchestrators: CustomOrchestrators = { names: [], leftOut: {} };

/** The files below a folder that look as if they export `handleText`, by their paths as in `./sub/mine.ts`. None is run. */
export function findOrchestrators(folder: string): string[] {
  return [...modulesBelow(folder)]
    .filter((file) => exportsHandleText(textOf(file)))
    .map((file) => `./${relative(folder, file).split(sep).join('/')}`)
    .sort();
}

/** Node's `globSync` takes ten times as long, and this may be somebody's whole home. */
function* modulesBelow(folder: string): Generator<string> {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) yield* modulesBelow(path);
    else if (entry.isFile() && endings.test(entry.name) && !/\.d\.\w+$/.test(entry.name)) yield path;
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Longer modules are built ones: nobody has written them. In bytes. */
const maxBytes = 1_000_000;

/** A module's content; empty where it cannot be read, or is longer than people write. */
export function textOf(file: string): string {
  try {
    return statSync(file).size > maxBytes ? '' : readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Whether a text looks like a module that exports a name. Only bundling it tells for certain. */
export const exportsName = (text: string, name: string): boolean =>
  new RegExp(`\\bexport\\s+(?:async\\s+)?(?:function|const|let|var)\\s*\\*?\\s*${name}\\b`).test(text) ||
  new RegExp(`\\bexport\\s*\\{(?:[^}]*,)?\\s*(?:\\w+\\s+as\\s+)?${name}\\s*[,}]`).test(text);

export const exportsHandleText = (text: string): boolean => exportsName(text, 'handleText');

/** The modules of Node that a text imports by itself; types alone do not count. */
export function nodeImports(text: string): string[] {
  const imports = /^\s*(?:import|export)\s+(?!type\b|\{\s*type\b)(?:[^'"]*?\bfrom\s*)?['"](node:[^'"]+)['"]/gm;
  return [...new Set([...text.matchAll(imports)].map(([, name]) => name!))].sort();
}

/** Why a module cannot run in workflows, by the names of what it imports. */
export const cannotImport = (names: string[]): string =>
  `it imports ${names.join(', ')}, which code that runs in workflows cannot have (docs/custom-orchestrators.md)`;
