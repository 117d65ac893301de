import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pythonArguments } from '../../src/activities/tools/python-arguments.ts';

const read = (text: string): unknown => pythonArguments(text, 0)?.input;

test.each<[string, unknown]>([
  [')', {}],
  ["a='x', b=3)", { a: 'x', b: 3 }],
  ['a=True, b=False, c=None,)', { a: true, b: false, c: null }],
  ['a=[1, "two", -0.5], b={"c": [{}]})', { a: [1, 'two', -0.5], b: { c: [{}] } }],
  ['a=(1, 2))', { a: [1, 2] }],
  ['a="""two\nlines""")', { a: 'two\nlines' }],
  [String.raw`a='it\'s\n\\')`, { a: "it's\n\\" }],
  ['a = 1 , b = 2 )', { a: 1, b: 2 }],
])('%s', (text, input) => expect(read(text)).toEqual(input));

test.each(['a=', 'a=1', "a='x", 'a=b)', 'a=b + 1)', 'a=f(1))', '1)', 'a=[1)', 'a={1 2})', `a=${'['.repeat(100_000)}`])(
  'nothing else is read: %.20s',
  (text) => expect(read(text)).toBeUndefined(),
);

test('what JSON and Python write alike is read as it was', () => {
  const values = fc
    .jsonValue({ maxDepth: 4 })
    .filter((value) => !/\b(?:true|false|null)\b|\\u|e[-+]/.test(JSON.stringify(value)));
  fc.assert(
    fc.property(values, (value) => {
      const json = JSON.stringify(value);
      expect(read(`a=${json})`)).toEqual({ a: JSON.parse(json) });
    }),
  );
});
