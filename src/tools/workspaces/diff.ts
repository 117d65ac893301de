import { Breaks } from '../../util/breaks.ts';
import type { Store } from '../../store/store.ts';
import type { Tree, TreeFile } from '../workspace.ts';
import { isSameFile } from './tree.ts';

/** How many changed files a diff names. */
const mostNamed = 30;

/** A file larger than this is not looked into, in bytes. */
const largest = 500_000;

/** How many pairs of lines are compared: of what differs more, all lines are shown as replaced. */
const mostPairs = 1_000_000;

/** How many lines are shown around a change. */
const around = 3;

/**
 * In what two trees differ, as a model reads it: the changed files, then what changed in each. Every line begins with `-`, `+`,
 * `@`, `[` or a space, so that nothing in a file can pass for anything but a part of it.
 *
 * @param longest about how long the whole may be, in characters: each file gets the same share of it
 * @returns empty if they do not differ
 */
export async function diffOf(store: Store, from: Tree, to: Tree, longest: number): Promise<string> {
  const breaks = new Breaks();
  const paths = [...new Set([...from.keys(), ...to.keys()])]
    .filter((path) => !isSameFile(from.get(path), to.get(path)))
    .toSorted();
  const names = paths
    .slice(0, mostNamed)
    .map((path) => `- ${onOneLine(path)} (${kindOf(from.get(path), to.get(path))})`);
  if (paths.length > mostNamed) names.push(`- (${paths.length - mostNamed} more)`);
  const parts = [names.join('\n')];
  let left = longest;
  for (const [index, path] of paths.slice(0, mostNamed).entries()) {
    if (breaks.due) await breaks.take();
    const [old, now] = [await linesOf(store, from.get(path)), await linesOf(store, to.get(path))];
    const changes = old && now ? hunksOf(old, now) : ['[not shown: no text, or too long]'];
    const whole = [
      `--- ${onOneLine(path)}`,
      ...(changes.length === 0 ? ['[only line ends or rights differ]'] : changes),
    ];
    const part = within(whole, left / (Math.min(paths.length, mostNamed) - index));
    left -= part.length;
    parts.push(part);
  }
  return parts.join('\n\n').trim();
}

const kindOf = (old: TreeFile | undefined, now: TreeFile | undefined): string =>
  old === undefined ? 'new' : now === undefined ? 'removed' : 'changed';

/** A line without anything that a reader may take for the end of it. */
const onOneLine = (text: string): string => text.replaceAll(/[\v\f\r\u0085\u2028\u2029]/g, ' ');

async function linesOf(store: Store, file: TreeFile | undefined): Promise<string[] | undefined> {
  if (file === undefined) return [];
  if (file.bytes > largest) return undefined;
  const text = Buffer.from(await store.object(file.id)).toString();
  if (/[\0\uFFFD]/.test(text)) return undefined;
  const lines = text.split(/\r?\n/).map(onOneLine);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** As many lines as fit. */
function within(lines: string[], longest: number): string {
  let characters = 0;
  const over = lines.findIndex((line, index) => (characters += line.length + 1) > longest && index > 0);
  if (over === -1) return lines.join('\n');
  return [...lines.slice(0, over), `[${lines.length - over} more lines of the diff]`].join('\n');
}

/** What was changed in lines, with some lines around it. */
function hunksOf(old: string[], now: string[]): string[] {
  const edits = editsOf(old, now);
  const near = new Set<number>();
  for (const [index, [sign]] of edits.entries()) {
    if (sign !== ' ') for (let at = index - around; at <= index + around; at++) near.add(at);
  }
  const shown: string[] = [];
  let line = 1;
  for (const [index, [sign = ' ', text = '']] of edits.entries()) {
    if (near.has(index)) {
      if (!near.has(index - 1) || index === 0) shown.push(`@@ line ${line} @@`);
      shown.push(sign + text);
    }
    if (sign !== '-') line += 1;
  }
  return shown;
}

type LineEdit = readonly [sign: ' ' | '+' | '-', text: string];

/** The fewest lines to take out and put in, by the longest common subsequence of what is neither first nor last in both. */
function editsOf(old: string[], now: string[]): LineEdit[] {
  let first = 0;
  while (first < Math.min(old.length, now.length) && old[first] === now[first]) first++;
  let last = 0;
  while (last < Math.min(old.length, now.length) - first && old.at(-1 - last) === now.at(-1 - last)) last++;
  const [out, put] = [old.slice(first, old.length - last), now.slice(first, now.length - last)];
  const same = (lines: string[]): LineEdit[] => lines.map((line) => [' ', line]);
  const between: LineEdit[] = [];
  if (out.length * put.length > mostPairs) {
    between.push(...out.map((line) => ['-', line] as const), ...put.map((line) => ['+', line] as const));
  } else {
    // `common[i][j]`: how many lines the rests of both from there on have in common.
    const common = Array.from({ length: out.length + 1 }, () => new Uint32Array(put.length + 1));
    for (let i = out.length - 1; i >= 0; i--) {
      for (let j = put.length - 1; j >= 0; j--) {
        const [here, below] = [common[i], common[i + 1]] as [Uint32Array, Uint32Array];
        here[j] = out[i] === put[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, here[j + 1] ?? 0);
      }
    }
    let [i, j] = [0, 0];
    while (i < out.length || j < put.length) {
      const [gone = '', added = ''] = [out[i], put[j]];
      if (i < out.length && j < put.length && gone === added) {
        between.push([' ', gone]);
        i++;
        j++;
      } else if (j >= put.length || (i < out.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
        between.push(['-', gone]);
        i++;
      } else {
        between.push(['+', added]);
        j++;
      }
    }
  }
  return [...same(old.slice(0, first)), ...between, ...same(old.slice(old.length - last))];
}
