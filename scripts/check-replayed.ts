/**
 * Checks replayed code: what it imports, and that it has no local activities. Everything under `src/workflows/` is replayed, and
 * nothing else is: it may import values only from itself, from `src/protocol/` and from Temporal's packages for workflows. What is in
 * `src/protocol/` crosses boundaries, and may import values only from itself. Types among our own files are the matter of
 * check-floors.ts. Prints each line that breaks this as `file:line: …`, and exits with 1 if there is one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const packages = ['@temporalio/workflow', '@temporalio/common'];
const folders: Record<string, string[]> = { workflows: ['workflows/', 'protocol/'], protocol: ['protocol/'] };

/** The forbidden imports of values in one file. @param file its path below `src`, with forward slashes */
export function forbiddenImports(file: string, text: string): string[] {
  const own = folders[file.split('/')[0] ?? ''];
  if (own === undefined) return [];
  const statements =
    /^(?:import|export)\s+(?!type\s)(?:[\w*{][^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|\b(?:import|require)\(\s*['"`]([^'"`]+)/gm;
  return [...text.matchAll(statements)].flatMap((match) => {
    const from = match[1] ?? match[2] ?? '';
    const target = normalize(join(dirname(file), from)).replaceAll('\\', '/');
    const isAllowed = from.startsWith('.')
      ? own.some((folder) => target.startsWith(folder))
      : own.includes('workflows/') && packages.includes(from);
    const line = lineAt(text, match.index);
    return isAllowed ? [] : [`src/${file}:${line}: replayed code must not import the value of "${from}"`];
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

if (process.argv[1] === import.meta.filename) {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.m?ts$/.test(file));
  const problems = files.flatMap((file) => {
    const text = readFileSync(join('src', file), 'utf8');
    const path = file.replaceAll('\\', '/');
    return [...forbiddenImports(path, text), ...localActivities(path, text)];
  });
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
