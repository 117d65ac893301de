/**
 * Checks that no import crosses the zones of the house the wrong way, that rules import nothing but types, that files
 * stay small, and that no text names what is not in the project. Prints each problem as `file:line: …` and exits 1
 * when there is one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

type Zone = 'deterministic' | 'world' | 'door';

const zones: Record<string, Zone> = {
  workflows: 'deterministic',
  agents: 'deterministic',
  rules: 'deterministic',
  prompts: 'deterministic',
  messages: 'deterministic',
  activities: 'world',
  attachments: 'world',
  config: 'world',
  models: 'world',
  search: 'world',
  store: 'world',
  tools: 'world',
  cli: 'door',
  client: 'door',
  embedded: 'door',
  worker: 'door',
};

/** Packages that are made to run inside workflows. */
const sandboxed = ['@temporalio/workflow', '@temporalio/common'];

const longest = 300;

export interface Import {
  line: number;
  from: string;
  typeOnly: boolean;
}

/** The imports and re-exports of a module, with their lines. */
export function importsOf(text: string): Import[] {
  const statements = /^(?:import|export)\s+(type\s+)?(?:[\w*{][^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
  const calls = /\bimport()\(\s*['"`]([^'"`]+)['"`]/g;
  return [...text.matchAll(statements), ...text.matchAll(calls)].map((match) => ({
    line: lineAt(text, match.index),
    from: match[2] ?? '',
    typeOnly: Boolean(match[1]),
  }));
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

const roomOf = (file: string): string => file.split('/')[0]?.replace(/\.ts$/, '') ?? '';

const roomsOf = (...wanted: Zone[]): string =>
  Object.keys(zones)
    .filter((room) => wanted.includes(zones[room] ?? 'door'))
    .join(', ');

/** @param files texts by their path below `src`, with forward slashes */
export function problemsIn(files: Map<string, string>): string[] {
  return [...files].flatMap(([file, text]) => {
    const lines = text.split('\n').length - 1;
    const long = lines > longest ? [`src/${file}:${longest}: ${lines} lines; at most ${longest}`] : [];
    return [...long, ...importsOf(text).flatMap((each) => problemOf(file, each))];
  });
}

function problemOf(file: string, { line, from, typeOnly }: Import): string[] {
  const room = roomOf(file);
  const zone = zones[room];
  const place = `src/${file}:${line}`;
  if (zone === undefined) return [`${place}: the room "${room}" has no zone`];
  if (typeOnly || zone === 'door') return [];
  if (room === 'rules' && !from.startsWith('./'))
    return [`${place}: rules import nothing but types (import type), not "${from}"`];
  if (!from.startsWith('.')) {
    const allowed = zone !== 'deterministic' || sandboxed.includes(from);
    return allowed
      ? []
      : [`${place}: "${from}" in the deterministic zone (allowed: ${sandboxed.join(', ')})`];
  }
  const target = roomOf(normalize(join(dirname(file), from)).replaceAll('\\', '/'));
  const allowed: Zone[] = zone === 'world' ? ['deterministic', 'world'] : ['deterministic'];
  return allowed.includes(zones[target] ?? 'door')
    ? []
    : [
        `${place}: ${room} must not import ${target} ("${from}"), but for types (import type); ` +
          `allowed: ${roomsOf(...allowed)}`,
      ];
}

/** The project stands alone: what it was made from is not part of it. Put together here, since this file is read too. */
const elsewhere = ['..', 'shared'].join('/');

/** @param files texts by their path below the project's root */
export function strangersIn(files: Map<string, string>): string[] {
  return [...files].flatMap(([file, text]) =>
    [...text.matchAll(new RegExp(`(?<![\\w/.])${elsewhere.replaceAll('.', '\\.')}\\b`, 'g'))].map(
      ({ index }) => `${file}:${lineAt(text, index)}: names ${elsewhere}, which is not part of the project`,
    ),
  );
}

/** The texts below some folders, by their path. */
function read(paths: string[], endings: RegExp): Map<string, string> {
  const names = paths.filter(existsSync).flatMap((path) =>
    path.includes('.')
      ? [path]
      : readdirSync(path, { recursive: true, encoding: 'utf8' })
          .filter((name) => endings.test(name) && !/\bnode_modules\b/.test(name))
          .map((name) => `${path}/${name.replaceAll('\\', '/')}`),
  );
  return new Map(names.map((name) => [name, readFileSync(name, 'utf8')]));
}

if (process.argv[1] === import.meta.filename) {
  const sources = [...read(['src'], /\.ts$/)].map(
    ([name, text]) => [name.slice('src/'.length), text] as const,
  );
  const folders = ['bin', 'src', 'test', 'bench', 'examples', 'scripts', 'docs'];
  const texts = read([...folders, 'README.md', 'CONTRIBUTING.md', 'package.json'], /\.(ts|mjs|md|ya?ml)$/);
  const problems = [...problemsIn(new Map(sources)), ...strangersIn(texts)];
  for (const problem of problems) console.error(problem);
  console.error(`${texts.size} files, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
