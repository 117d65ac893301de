import { Yielder } from '../../util/yielder.ts';
import type { Store } from '../../store/store.ts';
import type { Tree, TreeFile } from '../workspace.ts';
import { isSameFile } from './tree.ts';

const mostNamed = 30;

/** A file larger than this is not looked into, in bytes. */
const largest = 500_000;

/** How many lines a change may have of which lines are still told from each other: of a larger one all are replaced. */
const farthest = 600;
const around = 3;

/**
 * In what two trees differ, as a model reads it: the changed files, then what changed in each. Every line begins with
 * `-`, `+`, `@`, `[` or a space, so that nothing in a file can pass for anything but a part of it.
 *
 * @param longest about how long the whole may be, in characters: each file gets the same share of it
 */
export async function diffOf(store: Store, from: Tree, to: Tree, longest: number): Promise<string> {
  const yielder = new Yielder();
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
    if (yielder.due) await yielder.yield();
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

function within(lines: string[], longest: number): string {
  let characters = 0;
  const over = lines.findIndex((line, index) => (characters += line.length + 1) > longest && index > 0);
  if (over === -1) return lines.join('\n');
  return [...lines.slice(0, over), `[${lines.length - over} more lines of the diff]`].join('\n');
}

export function hunksOf(old: string[], now: string[]): string[] {
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

function editsOf(old: string[], now: string[]): LineEdit[] {
  const edits: LineEdit[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [out, put] = stepsToSame(old, now, i, j);
    for (const line of old.slice(i, i + out)) edits.push(['-', line]);
    for (const line of now.slice(j, j + put)) edits.push(['+', line]);
    [i, j] = [i + out, j + put];
    if (i < old.length) edits.push([' ', old[i] ?? '']);
    [i, j] = [i + 1, j + 1];
  }
  return edits;
}

/** How many lines of both are to be passed to come to the same line; all where it is far. */
function stepsToSame(old: string[], now: string[], i: number, j: number): [out: number, put: number] {
  const [left, right] = [old.length - i, now.length - j];
  for (let steps = 0; steps <= farthest; steps++) {
    for (let out = Math.max(0, steps - right + 1); out <= Math.min(steps, left - 1); out++)
      if (old[i + out] === now[j + steps - out]) return [out, steps - out];
  }
  return [Math.max(0, left), Math.max(0, right)];
}
