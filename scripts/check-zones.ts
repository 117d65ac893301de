/**
 * Checks that no import crosses the zones of the house the wrong way, that files stay small, and that rules import
 * nothing but types. Prints each problem as `file:line: …` and exits 1 when there is one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

type Zone = 'deterministic' | 'world' | 'door';

const zones: Record<string, Zone> = {
  workflows: 'deterministic',
  agents: 'deterministic',
  rules: 'deterministic',
  prompts: 'deterministic',
  messages: 'deterministic',
  activities: 'world',
  config: 'world',
  models: 'world',
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
  const pattern = /^(import|export)\s+(type\s+)?(?:[\w*{][^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
  return [...text.matchAll(pattern)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    from: match[3] ?? '',
    typeOnly: match[2] !== undefined,
  }));
}

const roomOf = (file: string): string => file.split('/')[0]?.replace(/\.ts$/, '') ?? '';

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
    return [`${place}: rules import nothing but types (import type)`];
  if (!from.startsWith('.')) {
    const allowed = zone !== 'deterministic' || sandboxed.includes(from);
    return allowed
      ? []
      : [`${place}: "${from}" in the deterministic zone (allowed: ${sandboxed.join(', ')})`];
  }
  const target = roomOf(normalize(join(dirname(file), from)).replaceAll('\\', '/'));
  const targetZone = zones[target];
  if (zone === 'deterministic' && targetZone !== 'deterministic') {
    return [`${place}: ${room} must not import ${target}, but for types (import type)`];
  }
  return zone === 'world' && targetZone === 'door' ? [`${place}: ${room} must not import ${target}`] : [];
}

if (import.meta.main) {
  const names = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const files = new Map(
    names.map((name) => [name.replaceAll('\\', '/'), readFileSync(join('src', name), 'utf8')]),
  );
  const problems = problemsIn(files);
  for (const problem of problems) console.error(problem);
  console.error(`${files.size} files, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
