/**
 * Checks replayed code: what it imports, and that it has no local activities and no variables of modules. Everything under
 * `src/workflows/` is replayed, and nothing else is: of packages, it may import values only from Temporal's for workflows, and what
 * is in `src/protocol/`, which crosses boundaries, from none. Imports among our own files are the matter of check-floors.ts. Prints each line that breaks this
 * as `file:line: …`, and exits with 1 if there is one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages of which the folders that are replayed, or cross boundaries, may import values. */
const allowed: Record<string, string[]> = { workflows: ['@temporalio/workflow', '@temporalio/common'], protocol: [] };

/** The forbidden imports of packages' values in one file. @param file its path below `src`, with forward slashes */
export function forbiddenImports(file: string, text: string): string[] {
  const packages = allowed[file.split('/')[0] ?? ''];
  if (packages === undefined) return [];
  const statements =
    /^(?:import|export)\s+(?!type\s)(?:[\w*{][^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|\b(?:import|require)\(\s*['"`]([^'"`]+)/gm;
  return [...text.matchAll(statements)].flatMap((match) => {
    const from = match[1] ?? match[2] ?? '';
    const line = lineAt(text, match.index);
    return from.startsWith('.') || packages.includes(from)
      ? []
      : [`src/${file}:${line}: replayed code must not import the value of "${from}"`];
  });
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/**
 * The local activities in one file: where they are called or get another name, and where an interceptor handles them. Names in
 * imports, types and comments do no harm.
 */
export function localActivities(file: string, text: string): string[] {
  const uses =
    /^(?!\s*(?:\*|\/[/*])).*?\b(proxyLocalActivities|scheduleLocalActivity)\b(?:(?:<[^()]*>)?\s*[(:]|\s+as\b)/gm;
  return [...text.matchAll(uses)].map(
    (match) =>
      `src/${file}:${lineAt(text, match.index)}: ${match[1]}: local activities are ended in another order at a replay ` +
      '(docs/decisions/0057-no-local-activities.md)',
  );
}

/**
 * The variables of a module that is replayed, or crosses boundaries: what may get another value, and collections that are empty in
 * the beginning. All runs of a worker's thread would share them.
 */
export function moduleVariables(file: string, text: string): string[] {
  if (allowed[file.split('/')[0] ?? ''] === undefined) return [];
  const variables =
    /^(?:export )?(?:(?:let|var) (\w+)|const (\w+)(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|\[\]|\{\}))/gm;
  return [...text.matchAll(variables)].map(
    ({ 1: variable, 2: constant, index }) =>
      `src/${file}:${lineAt(text, index)}: ${variable ?? constant}: all runs of a thread would share it; use perRun ` +
      '(docs/decisions/0052-lean-workflow-threads.md)',
  );
}

if (process.argv[1] === import.meta.filename) {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.m?ts$/.test(file));
  const problems = files.flatMap((file) => {
    const text = readFileSync(join('src', file), 'utf8');
    const path = file.replaceAll('\\', '/');
    return [...forbiddenImports(path, text), ...localActivities(path, text), ...moduleVariables(path, text)];
  });
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
