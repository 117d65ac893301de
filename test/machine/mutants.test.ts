import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffOf, mutantsOf, mutated } from '../../scripts/mutants/mutate.ts';
import { picks } from '../../scripts/mutants/pick.ts';

const mutations = (text: string): string[] => mutantsOf(text).map((mutant) => mutated(text, mutant));

describe('a mutant', () => {
  test.each<[what: string, text: string, mutants: string[]]>([
    ['inverts a condition', 'if (a) {\n  b\n}', ['if (!(a)) {\n  b\n}', 'if (a) {\n  \n}']],
    ['swaps ===', 'x = a === b;', ['x = a !== b;']],
    ['swaps !==', 'x = a !== b;', ['x = a === b;']],
    ['swaps <', 'x = a < b;', ['x = a >= b;']],
    ['swaps >=', 'x = a >= b;', ['x = a < b;']],
    ['swaps > and <=', 'x = (a > b) <= c;', ['x = (a <= b) <= c;', 'x = (a > b) > c;']],
    ['swaps && and ||', 'x = a && (b || c);', ['x = a || (b || c);', 'x = a && (b && c);']],
    ['finds its place behind signs of two characters', "x = ['🤔', 'é', a < b];", ["x = ['🤔', 'é', a >= b];"]],
    ['swaps branches', 'x = a ? b : c;', ['x = !(a) ? b : c;']],
    ['drops a statement', 'function f() {\n  g();\n}', ['function f() {\n  \n}']],
    ['drops a return', 'function f() {\n  return 1;\n}', ['function f() {\n  \n}']],
    ['drops a step of a switch', 'switch (a) { case 1: b(); }', ['switch (a) { case 1:  }']],
  ])('%s', (_, text, mutants) => {
    expect(mutations(text)).toEqual(mutants);
  });

  test.each<[what: string, text: string]>([
    ['an import', "import { a } from './a.ts';"],
    ['a type', 'type A<B> = B extends 1 ? 2 : 3;\ninterface C { a: 1 | 2 }'],
    ['a type beside a value', 'const a: B extends 1 ? 2 : 3 = c as 1 | 2;'],
    ['a comment', '// if (a === b) c();\n/** a && b */'],
    ['a text', "const a = 'if (b === c) d && e';"],
    ['what is only logged', "function f() {\n  console.log(a === b ? 'c' : 'd');\n}"],
    ['a directive', "function f() {\n  'use strict'\n}"],
    ['other operators', 'x = a + b * (c ?? d);'],
    ['a statement of several lines', 'function f() {\n  g(\n    1,\n  );\n}'],
  ])('is never made of %s', (_, text) => {
    expect(mutantsOf(text)).toEqual([]);
  });

  test('is shown as the lines that it changes', () => {
    const text = 'a();\nif (b &&\n  c) d();\ne();\n';
    const diffs = mutantsOf(text).map((mutant) => [mutant.line, mutant.what, diffOf(text, mutant)]);
    expect(diffs).toEqual([
      [2, 'inverts the condition', '- if (b &&\n-   c) d();\n+ if (!(b &&\n+   c)) d();'],
      [2, 'puts || for &&', '- if (b &&\n+ if (b ||'],
    ]);
    const block = '{\n  a();\n}';
    expect(diffOf(block, mutantsOf(block)[0]!)).toBe('-   a();');
  });
});

describe('the lines that are picked', () => {
  const sources = [
    { file: 'src/b.ts', text: 'x = a === b || c;\n\ny = d < e;' },
    { file: 'src/a.ts', text: 'const x = 1;' },
    { file: 'src/c.ts', text: '{\n  f();\n}\nz = g ? h : i;' },
  ];
  const picked = (seed: number, from = sources): unknown[] =>
    [...picks(from, seed)].map(({ file, mutant }) => [file, mutant.line, mutant.start]);

  test('are the same for the same seed and the same sources, in whatever order these come', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(picked(seed, sources.toReversed())).toEqual(picked(seed));
      }),
    );
  });

  test('are all that have a mutant, each once', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const places = [...picks(sources, seed)].map(({ file, mutant }) => `${file}:${mutant.line}`);
        expect(places.toSorted()).toEqual(['src/b.ts:1', 'src/b.ts:3', 'src/c.ts:2', 'src/c.ts:4']);
      }),
    );
  });

  test('come in other orders for other seeds, with other mutants', () => {
    const orders = new Set(Array.from({ length: 50 }, (_, seed) => JSON.stringify(picked(seed))));
    expect(orders.size).toBeGreaterThan(10);
  });
});
