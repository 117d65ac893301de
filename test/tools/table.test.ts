import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTable } from '../../src/files/table.ts';
import { amountOf, decimalMarkOf } from '../../src/tools/builtin/table/amount.ts';
import { queryTable, type TableQuery } from '../../src/tools/builtin/table/query.ts';

describe('a cell holds the number that a person reads in it', () => {
  test.each([
    ['12', 12],
    ['-3.5', -3.5],
    ['+4', 4],
    ['−2', -2],
    ['.5', 0.5],
    ['1,234.50', 1234.5],
    ['1,234,567', 1234567],
    ['1.234,50', 1234.5],
    ['1.234.567', 1234567],
    ['3,5', 3.5],
    ['1 234,5', 1234.5],
    ['12\u00A0345', 12345],
    ["1'234.50", 1234.5],
    ['€ 3', 3],
    ['$1,200', 1200],
    ['-$5', -5],
    ['$-5', -5],
    ['US$ 7', 7],
    ['3,50 €', 3.5],
    ['USD 5', 5],
    ['5 EUR', 5],
    ['12%', 12],
    ['12.5 %', 12.5],
    ['(1,234)', -1234],
    ['1e3', 1000],
    ['007', 7],
    [' 8 ', 8],
  ])('%s', (cell, amount) => {
    expect(amountOf(cell)).toBe(amount);
  });

  test.each([
    '',
    ' ',
    '-',
    '.',
    ',',
    '€',
    'abc',
    'e5',
    '1.2.3',
    '2024-01-05',
    '12:30',
    'ABC 12',
    '5 kg',
    '1,2,3',
    '0x10',
    'Infinity',
    'NaN',
    '12 34',
  ])('or none: %j', (cell) => {
    expect(amountOf(cell)).toBeUndefined();
  });

  test('however a number is written, in either notation', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -9_999_999, max: 9_999_999 }),
        fc.constantFrom('en-US', 'de-DE'),
        (cents, notation) => {
          const text = (cents / 100).toLocaleString(notation, { minimumFractionDigits: 2 });
          expect(amountOf(text)).toBe(cents / 100);
        },
      ),
    );
  });
});

describe('what 1,234 and 1.234 mean is read from the rest of their column', () => {
  test.each([
    [['1,234', '5.5'], '.', 1234],
    [['1,234', '5,5'], ',', 1.234],
    [['1,234', '1.234'], '.', 1234],
    [['1,234', 'text', ''], '.', 1234],
  ] as const)('%j', (cells, mark, first) => {
    expect(decimalMarkOf([...cells])).toBe(mark);
    expect(amountOf(cells[0], mark)).toBe(first);
  });
});

const sales = parseTable(
  [
    'Region,Product,Amount,Day',
    'North,Tea,"1,234.50",2024-01-05',
    'south,Coffee,€ 3,2024-01-20',
    'North,Coffee,n/a,2024-02-01',
    'South,tea,200,',
    'East,Milk,,2024-03-01',
  ].join('\n'),
);
const ask = (query: Partial<TableQuery>) => queryTable(sales, { limit: 50, ...query });
const regions = (query: Partial<TableQuery>): unknown[] => ask(query).rows.map((row) => row['Region']);

describe('rows are chosen', () => {
  test.each<[string, NonNullable<TableQuery['where']>, string[]]>([
    ['all, without conditions', [], ['North', 'south', 'North', 'South', 'East']],
    ['whatever the letter case', [{ column: 'region', is: '=', value: 'SOUTH' }], ['south', 'South']],
    ['that differ', [{ column: 'Region', is: '!=', value: 'north' }], ['south', 'South', 'East']],
    ['by numbers, also with separators', [{ column: 'Amount', is: '>', value: 1000 }], ['North']],
    ['by a number in a text', [{ column: 'Amount', is: '=', value: '€ 200.00' }], ['South']],
    ['by what a text contains', [{ column: 'Product', is: 'contains', value: 'EA' }], ['North', 'South']],
    ['by dates', [{ column: 'Day', is: '<', value: '2024-02-01' }], ['North', 'south']],
    ['that are empty', [{ column: 'Day', is: '=', value: '' }], ['South']],
    [
      'that meet all conditions',
      [
        { column: 'Region', is: '=', value: 'North' },
        { column: 'Day', is: '>=', value: '2024-02-01' },
      ],
      ['North'],
    ],
  ])('%s', (_, where, expected) => {
    expect(regions({ where })).toEqual(expected);
    expect(ask({ where })).toMatchObject({ looked_at: 5, matched: expected.length });
  });

  test('with the columns that are wanted, by the table’s own names', () => {
    expect(ask({ columns: ['product', 'AMOUNT'], limit: 1 })).toEqual({
      looked_at: 5,
      matched: 5,
      rows: [{ Product: 'Tea', Amount: '1,234.50' }],
      more: 4,
    });
  });

  test('no more than 20,000 characters of them', () => {
    const wide = parseTable(`a,b\n${`x,${'y'.repeat(990)}\n`.repeat(40)}`);
    const { rows, more } = queryTable(wide, { limit: 1000 });
    expect(JSON.stringify(rows).length).toBeLessThanOrEqual(20_100);
    expect(rows.length + (more ?? 0)).toBe(40);
  });
});

describe('rows are sorted', () => {
  test.each<[string, Partial<TableQuery>, string[]]>([
    [
      'numbers first, then texts, then what is empty',
      { order_by: 'amount' },
      ['south', 'South', 'North', 'North', 'East'],
    ],
    [
      'also downwards',
      { order_by: 'Amount', descending: true },
      ['North', 'South', 'south', 'North', 'East'],
    ],
    ['by texts', { order_by: 'Product' }, ['south', 'North', 'East', 'North', 'South']],
  ])('%s', (_, query, expected) => {
    expect(regions(query)).toEqual(expected);
  });
});

describe('what is computed', () => {
  test('over all rows, without empty cells; what is no number is counted', () => {
    const functions = ['sum', 'mean', 'min', 'max', 'median', 'count', 'count_distinct'] as const;
    const aggregate = functions.map((name) => ({ function: name, column: 'amount' }));
    expect(ask({ aggregate })).toEqual({
      looked_at: 5,
      matched: 5,
      rows: [
        {
          'sum(Amount)': 1437.5,
          'mean(Amount)': 479.166666666667,
          'min(Amount)': 3,
          'max(Amount)': 1234.5,
          'median(Amount)': 200,
          'count(Amount)': 4,
          'count_distinct(Amount)': 4,
        },
      ],
      not_numbers: { Amount: 1 },
    });
  });

  test('by groups, sorted by the result', () => {
    const { rows } = ask({
      group_by: ['region'],
      aggregate: [{ function: 'sum', column: 'Amount' }, { function: 'count' }],
      order_by: 'sum(amount)',
      descending: true,
    });
    expect(rows).toEqual([
      { Region: 'North', 'sum(Amount)': 1234.5, count: 2 },
      { Region: 'South', 'sum(Amount)': 200, count: 1 },
      { Region: 'south', 'sum(Amount)': 3, count: 1 },
      { Region: 'East', 'sum(Amount)': null, count: 1 },
    ]);
  });

  test('groups alone are counted', () => {
    expect(ask({ group_by: ['Region'], limit: 1 })).toMatchObject({
      rows: [{ Region: 'North', count: 2 }],
      more: 3,
    });
  });

  test('of texts the first and the last', () => {
    const aggregate = [
      { function: 'min', column: 'Day' },
      { function: 'max', column: 'Day' },
    ] as const;
    expect(ask({ aggregate: [...aggregate] }).rows).toEqual([
      { 'min(Day)': '2024-01-05', 'max(Day)': '2024-03-01' },
    ]);
  });

  test('over no rows is nothing, and their number', () => {
    const aggregate = [{ function: 'sum', column: 'Amount' }, { function: 'count' }] as const;
    const where = [{ column: 'Region', is: '=', value: 'West' }] as const;
    expect(ask({ aggregate: [...aggregate], where: [...where] }).rows).toEqual([
      { 'sum(Amount)': null, count: 0 },
    ]);
  });

  test('has the digits that a double holds: 0.1 + 0.2 is 0.3', () => {
    const table = parseTable('a;b\n0.1;x\n0.2;x\n');
    expect(queryTable(table, { aggregate: [{ function: 'sum', column: 'a' }], limit: 1 }).rows).toEqual([
      { 'sum(a)': 0.3 },
    ]);
  });
});

describe('a query that cannot be answered is refused with what there is', () => {
  test.each<[string, Partial<TableQuery>, RegExp]>([
    [
      'an unknown column',
      { columns: ['Regoin'] },
      /^there is no column Regoin; did you mean Region\? the columns are Region, Product, Amount, Day$/,
    ],
    ['in a condition', { where: [{ column: 'x', is: '=', value: 1 }] }, /^there is no column x;/],
    ['a sum of nothing', { aggregate: [{ function: 'sum' }] }, /^sum needs a column$/],
    [
      'an order that is not in the result',
      { group_by: ['Region'], order_by: 'Amount' },
      /^order_by: there is no Amount in the result;.* it has Region, count$/,
    ],
    [
      'columns beside those of the groups',
      { group_by: ['Region'], columns: ['Region', 'Day'] },
      /columns of group_by: name Day there, or leave it out$/,
    ],
  ])('%s', (_, query, message) => {
    expect(() => ask(query)).toThrow(
      expect.objectContaining({ name: 'ToolError', message: expect.stringMatching(message) }),
    );
  });
});
