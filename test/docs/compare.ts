import { stripVTControlCharacters } from 'node:util';

/**
 * What differs from run to run, and what stands for it in a comparison. Applied to what a page shows and to what a command
 * has printed. docs: CONTRIBUTING.md, "How the documentation is tested".
 */
const rules: Array<[RegExp, string]> = [
  // The time at the beginning of a line of progress, which pages may leave out.
  [/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] /gm, ''],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\b(ask|chat|research|solve)-[a-z0-9]{8}\b/g, '$1-<id>'],
  // In whichever surroundings a page was written (test/cli/typed.test.ts).
  [/\b(?:npx reprise|node \S+\/bin\/reprise\.mjs)(?= [a-z])/g, 'reprise'],
  [/(?:localhost|127\.0\.0\.1|\[::1\]):\d+/g, '<address>'],
  [/\b\d+(?:\.\d+)? ?(?:ms|s|min|h|d|seconds?|minutes?|hours?|days?)\b(?: \d+ (?:s|min|h|d)\b)*/g, '<duration>'],
  [/\b\d[\d,.]*k? tokens?\b/g, '<tokens>'],
  [/\$\d+(?:\.\d+)?/g, '$<cost>'],
  [/ +$/gm, ''],
];

/** What a command says about the server and the worker that it starts depends on what was run before. */
const starting =
  /^(?:Starting Temporal and a worker|Starting a worker|Replacing the background worker|Bundling |Temporal <address>|The Temporal CLI |Port \d+ is taken)/;

/** Agents that work at the same time say so in any order. */
const together = /^(?:💡|🗳️|🔎) /u;

function normalised(text: string): string[] {
  const even = rules.reduce((now, [from, to]) => now.replaceAll(from, to), stripVTControlCharacters(text));
  const lines = even.split('\n').filter((line) => !starting.test(line));
  let from = 0;
  for (let at = 0; at <= lines.length; at += 1) {
    if (together.test(lines[at] ?? '')) continue;
    lines.splice(from, at - from, ...lines.slice(from, at).sort());
    from = at + 1;
  }
  return lines;
}

/**
 * Compares what a page shows of a command's output with what it has printed. A line `…` stands for any lines, and `…`
 * within a line for any text.
 *
 * @returns where they differ, in words; undefined where they do not
 */
export function difference(shown: string[], printed: string): string | undefined {
  const pattern = withoutBlankEnds(normalised(shown.join('\n')));
  const lines = withoutBlankEnds(normalised(printed));
  if (fits(pattern, lines)) return undefined;
  const first = pattern.findIndex((line) => line !== '…' && !lines.some((other) => fitsLine(line, other)));
  const hint =
    first === -1 ? 'its lines come in another order, or others between them' : `no line is "${pattern[first]}"`;
  return `${hint}. It has printed:\n${lines.join('\n')}`;
}

function withoutBlankEnds(lines: string[]): string[] {
  const from = lines.findIndex((line) => line !== '');
  const to = lines.findLastIndex((line) => line !== '');
  return from === -1 ? [] : lines.slice(from, to + 1);
}

function fits(pattern: string[], lines: string[]): boolean {
  const [line, ...rest] = pattern;
  if (line === undefined) return lines.length === 0;
  if (line === '…') return lines.some((_, at) => fits(rest, lines.slice(at))) || fits(rest, []);
  const [first, ...others] = lines;
  return first !== undefined && fitsLine(line, first) && fits(rest, others);
}

function fitsLine(pattern: string, line: string): boolean {
  const parts = pattern.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(line);
}
