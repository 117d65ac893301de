import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate, ExpressionError } from '../../src/tools/builtin/expression.ts';
import { toolBench } from '../support/tool-bench.ts';

describe('an expression has the value that it has on paper', () => {
  test.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['100 / 10 / 2', 5],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['2 ^ -1', 0.5],
    ['2 ** 10', 1024],
    ['10 % 4', 2],
    ['--3', 3],
    ['1.5e3 + .5', 1500.5],
    ['sqrt(16) + abs(-2)', 6],
    ['max(1, 7, 3) - min(4, 2)', 5],
    ['log(1000)', 3],
    ['ln(e ^ 2)', 2],
    ['round(cos(pi))', -1],
    ['tau / pi', 2],
  ])('%s = %d', (text, value) => {
    expect(evaluate(text)).toBeCloseTo(value, 12);
  });

  test('of numbers, sums and products as of JavaScript', () => {
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 5 },
        fc.integer({ min: 0, max: 999 }).map(String),
        fc
          .tuple(tie('expression'), fc.constantFrom('+', '-', '*'), tie('expression'))
          .map(([left, sign, right]) => `(${left} ${sign} ${right})`),
      ),
    }));
    fc.assert(
      fc.property(expression, (text) => {
        // oxlint-disable-next-line no-eval
        expect(evaluate(text)).toBe(eval(text));
      }),
    );
  });
});

describe('what is no expression is refused, and nothing is run', () => {
  test.each([
    ['', 'expected a number at the end'],
    ['1 +', 'expected a number at the end'],
    ['(1', 'expected ")" at the end'],
    ['1 2', 'expected an operator instead of "2"'],
    ['1 / (2 - 2)', 'division by zero'],
    ['5 % 0', 'division by zero'],
    ['sqrt(-1)', 'the result is not a finite number'],
    ['9 ^ 999', 'the result is not a finite number'],
    ['sqrt(1, 2)', 'sqrt takes one number'],
    ['sqrt 4', 'expected "(" instead of "4"'],
    ['process.exit(1)', /^cannot read "\.exit/],
    ['constructor(1)', /^there is no constructor; there are the functions sqrt, /],
    ['__proto__', /^there is no __proto__;/],
    ['"a"', /^cannot read/],
  ])('%s', (text, message) => {
    expect(() => evaluate(text)).toThrow(ExpressionError);
    expect(() => evaluate(text)).toThrow(message);
  });
});

test('the tool answers with a number, and reports what it cannot compute', async ({ onTestFinished }) => {
  const bench = toolBench();
  onTestFinished(() => bench.close());
  const calculate = (expression: string) =>
    bench.call({ name: 'calculate', source: { package: 'builtin.calculator' } }, { expression }).result;
  expect(await calculate('0.1 + 0.2')).toEqual({ status: 'ok', text: '0.3' });
  expect(await calculate('1 / 0')).toEqual({ status: 'error', text: 'division by zero' });
  const { tools } = await bench.list({ packages: ['builtin.calculator'] });
  expect(tools).toMatchObject([{ name: 'calculate', sideEffects: 'none' }]);
});
