/**
 * Checks that imports go one way. Each folder of `src` imports only from those that stand before it in `floors`, for values and
 * for types, and workflows from the protocol alone. Prints each import that breaks this as `file:line: …`, and exits with 1 if
 * there is one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The folders of `src`, each above what may import it. What they hold is said in the README of each. */
export const floors = (
  'protocol workflows util encryption store config trust tools tools/workspaces tools/attachments tools/python ' +
  'tools/commands tools/web tools/mcp models models/claude-code telemetry activities client worker local serve cli'
).split(' ');

/** The folder of a file, by its path below `src`. `client.ts` and `worker.ts` belong to the folders of their names. */
const floorOf = (file: string): string =>
  floors.findLast((floor) => file.startsWith(`${floor}/`)) ?? file.replace(/\.ts$/, '');

/** The forbidden imports in one file. @param file its path below `src`, with forward slashes */
export function importsBack(file: string, text: string): string[] {
  const own = floorOf(file);
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)].flatMap(({ 1: from = '', index }) => {
    const target = floorOf(normalize(join(dirname(file), from)).replaceAll('\\', '/'));
    const isAllowed =
      own === target ||
      (floors.indexOf(target) < floors.indexOf(own) && (own !== 'workflows' || target === 'protocol'));
    const line = text.slice(0, index).split('\n').length;
    return isAllowed ? [] : [`src/${file}:${line}: ${own} must not import "${from}", which is of ${target}`];
  });
}

if (process.argv[1] === import.meta.filename) {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const problems = files.flatMap((file) =>
    importsBack(file.replaceAll('\\', '/'), readFileSync(join('src', file), 'utf8')),
  );
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
