/**
 * Everything under `src/workflows/` is replayed, and nothing else is: it imports values only from itself, from
 * `src/protocol/` and from Temporal's packages for workflows; types may come from anywhere. What `src/protocol/` holds
 * crosses boundaries, and imports types only. Prints each import that breaks this as `file:line: …`, then exits with 1.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const packages = ['@temporalio/workflow', '@temporalio/common'];
const folders: Record<string, string[]> = { workflows: ['workflows/', 'protocol/'], protocol: ['protocol/'] };

/** The imports of values in one file that it must not have. @param file its path below `src`, with forward slashes */
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
