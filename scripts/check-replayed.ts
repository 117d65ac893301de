/**
 * Checks the imports of replayed code. Everything under `src/workflows/` is replayed, and nothing else is: it may import
 * values only from itself, from `src/protocol/` and from Temporal's packages for workflows, and types from anywhere. What is
 * in `src/protocol/` crosses boundaries, and may import values only from itself. Prints each import that breaks this as
 * `file:line: …`, and exits with 1 if there is one.
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
    const line = text.slice(0, match.index).split('\n').length;
    return isAllowed ? [] : [`src/${file}:${line}: replayed code must not import the value of "${from}"`];
  });
}

if (process.argv[1] === import.meta.filename) {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.m?ts$/.test(file));
  const problems = files.flatMap((file) =>
    forbiddenImports(file.replaceAll('\\', '/'), readFileSync(join('src', file), 'utf8')),
  );
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
