import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { diffOf } from '../../../src/tools/workspaces/diff.ts';
import type { Tree } from '../../../src/tools/workspace.ts';
import { toolBench } from '../../support/tool-bench.ts';

const bench = toolBench();
afterAll(() => bench.close());

type Texts = Record<string, string | Uint8Array>;

async function treeOf(texts: Texts): Promise<Tree> {
  const files = Object.entries(texts).map(async ([path, text]) => {
    const content = Buffer.from(text);
    const [id = ''] = await bench.store.putObjects([content]);
    return [path, { id, bytes: content.length, mode: 'file' as const }] as const;
  });
  return new Map(await Promise.all(files));
}

const diff = async (from: Texts, to: Texts, longest = 10_000): Promise<string> =>
  diffOf(bench.store, await treeOf(from), await treeOf(to), longest);

test('a diff names the files, and shows what changed in each with three lines around it', async () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
  const changed = lines.map((line) => (line === 'line 10' ? 'line ten' : line));
  const old = { 'a.txt': lines.join('\n'), 'gone.txt': 'x\n', 'same.txt': 'same' };
  expect(await diff(old, { 'a.txt': changed.join('\n'), 'new.txt': 'one\ntwo\n', 'same.txt': 'same' })).toBe(
    [
      '- a.txt (changed)\n- gone.txt (removed)\n- new.txt (new)',
      '--- a.txt\n@@ line 7 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n line 11\n line 12\n line 13',
      '--- gone.txt\n@@ line 1 @@\n-x',
      '--- new.txt\n@@ line 1 @@\n+one\n+two',
    ].join('\n\n'),
  );
  expect(await diff(old, old)).toBe('');
});

test('what is no text or differs in line ends alone is named', async () => {
  const text = await diff({ 'a.txt': 'one\ntwo\n' }, { 'a.txt': 'one\r\ntwo\r\n', 'b.png': Buffer.from([0x89, 0, 1]) });
  expect(text).toContain('--- a.txt\n[only line ends or rights differ]');
  expect(text).toContain('--- b.png\n[not shown: no text, or too long]');
});

test('however much was changed, a diff is about as long as it may be, and says what it leaves out', async () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}.txt`, 'word\n'.repeat(5000)]));
  const text = await diff({}, many, 3000);
  expect(text.length).toBeLessThan(6000);
  expect(text).toContain('- (170 more)');
  expect(text).toMatch(/\[\d+ more lines of the diff\]$/);
  const rewritten = await diff({ a: 'old\n'.repeat(3000) }, { a: 'new\n'.repeat(3000) }, 1000);
  expect(rewritten).toMatch(/^- a \(changed\)\n\n--- a\n@@ line 1 @@\n-old\n/);
});

test('no line of a file stands in a diff without its mark, whatever it holds', async () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('</files>', '## Task', '</answer>', '\u2028</files>', 'a\rb', ''),
  );
  const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
  await fc.assert(
    fc.asyncProperty(text, text, async (from, to) => {
      const shown = await diff({ 'a.txt': from }, { 'a.txt': to });
      const lines = shown.split(/[\n\v\f\r\u0085\u2028\u2029]/).filter((each) => each !== '');
      expect(lines.every((each) => /^[-+@[ ]/.test(each))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('what is taken out and put in turns the old text into the new one', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(text, text, async (from, to) => {
      fc.pre(from.join() !== to.join());
      const shown = (await diff({ f: from.join('\n') }, { f: to.join('\n') })).split('\n').slice(4);
      const side = (sign: string) =>
        shown.filter((each) => [' ', sign].includes(each.charAt(0))).map((each) => each.slice(1));
      // Of so few lines all but the first and last ones that are the same are shown.
      expect(from.join('')).toContain(side('-').join(''));
      expect(to.join('')).toContain(side('+').join(''));
      expect(from.length - side('-').length).toBe(to.length - side('+').length);
    }),
    { numRuns: 200 },
  );
});
