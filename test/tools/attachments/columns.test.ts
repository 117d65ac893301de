import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { typedColumns } from '../../../src/tools/attachments/columns.ts';

const unclear = '1.250 may be 1.25 or 1250, so that its cells are texts';
const typedColumn = (cells: string[]) => typedColumns([cells])[0];

describe('a column is numbers where all of its cells are plain ones', () => {
  test.each<[string[], Array<number | null>]>([
    [
      ['12', '-3.5', '+4', '.5', '2.', '0', '0.25', '1e3', ' 8 '],
      [12, -3.5, 4, 0.5, 2, 0, 0.25, 1000, 8],
    ],
    [
      ['1,234.50', '1,234,567', '1234.5', '7'],
      [1234.5, 1234567, 1234.5, 7],
    ],
    [
      ['1.234,50', '1.234.567', '3,5', '7'],
      [1234.5, 1234567, 3.5, 7],
    ],
    [
      ['1 234.5', '12\u00A0345', "1'234", '1’234'],
      [1234.5, 12345, 1234, 1234],
    ],
    [
      ['', '5', ''],
      [null, 5, null],
    ],
  ])('%j', (cells, values) => {
    expect(typedColumn(cells)).toEqual({ type: 'REAL', values });
  });

  test.each([
    ['1,234', '5.5', 1234],
    ['1,234', '5,5', 1.234],
    ['1,234', '', 1234],
  ])('what %s means is read from the rest of the column: %s', (first, second, amount) => {
    expect(typedColumn([first, second])?.values[0]).toBe(amount);
  });

  test.each([
    [['3,50', '12,99'], '.', 1250, undefined],
    [['3.5', '12'], ',', 1.25, undefined],
    [['Aach', 'Bonn'], ',', 1250, '1.250 is taken for 1250'],
    [['Aach', 'Bonn'], '.', 1.25, '1.250 is taken for 1.25'],
    [['3,50', '12,99'], undefined, 1250, undefined],
    [['3.5', '12'], undefined, '1.250', unclear],
    [['Aach', 'Bonn'], undefined, '1.250', unclear],
  ] as const)(
    'or from the other columns, or from the semicolons between them, which is said: %j, %s',
    (other, usual, amount, taken) => {
      const [column] = typedColumns([['1.250', '12.400'], [...other]], usual);
      expect(column?.values[0]).toBe(amount);
      expect(column?.taken).toBe(taken);
    },
  );

  test.each([
    [['10', 'NA', '20'], 'NA'],
    [['2,000.00', '(1,234.50)'], '(1,234.50)'],
    [['7', '−5'], '−5'],
    [['1,23,456', '2,000'], '1,23,456'],
    [['1.5', '1,5'], '1,5'],
    [['12%', '30.5%'], '12%'],
    [['EUR 3,20', 'EUR 12,00'], 'EUR 3,20'],
    [['1,5 kg', '750 g'], '1,5 kg'],
    [['38:30', '41:15:00'], '38:30'],
    [['APP-1', 'APP-2'], undefined],
    [['7AB', '7AC'], undefined],
    [['20.5', 'NA', 'NA', '21.5', 'NA'], 'NA'],
    [['10', 'NULL', 'N/A', '', '#N/A', 'NaN', '–', 'n.a.', '..'], 'NULL'],
    [['-', 'NA'], undefined],
    [['Oslo', 'NA', 'Bonn', '20'], undefined],
    [['007', '0815'], undefined],
    [['2026-03-31', '31.03.2026'], undefined],
  ])('and where most cells of %j are numbers, one is named that is none: %s', (cells, other) => {
    expect(typedColumn(cells)?.other).toBe(other);
  });

  test('however a number is written, in either notation', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -9_999_999, max: 9_999_999 }),
        fc.constantFrom('en-US', 'de-DE'),
        (cents, notation) => {
          const text = (cents / 100).toLocaleString(notation, { minimumFractionDigits: 2 });
          expect(typedColumn([text])).toEqual({ type: 'REAL', values: [cents / 100] });
        },
      ),
    );
  });

  test.each([
    'abc',
    '-',
    '.',
    ',',
    'e5',
    '12%',
    '€ 5',
    '$1,200',
    '(5)',
    '5 kg',
    '007',
    '01234',
    '1234567890123456',
    '1.2.3',
    '1,2,3',
    '12 34',
    '2024-01-05',
    '12:30',
    '0x10',
    'Infinity',
    'NaN',
    'n/a',
  ])('and texts where one is something else: %s', (cell) => {
    expect(typedColumn(['7', cell, ''])).toEqual({ type: 'TEXT', values: ['7', cell, null], other: cell });
  });

  test('or where the notations differ, or nothing is there', () => {
    expect(typedColumn(['1,234.50', '1.234,50'])?.type).toBe('TEXT');
    expect(typedColumn(['', ''])).toEqual({ type: 'TEXT', values: [null, null] });
  });
});

describe('a column is texts, which is said, where its digits may be', () => {
  test('another number, as other columns contradict each other', () => {
    const [price, list, sum] = typedColumns(
      [
        ['12.50', '9.99'],
        ['1,3', '2,4'],
        ['1,234', '2,500'],
      ],
      '.',
    );
    expect(price?.values).toEqual([12.5, 9.99]);
    expect(list?.values).toEqual([1.3, 2.4]);
    expect(sum).toEqual({
      type: 'TEXT',
      values: ['1,234', '2,500'],
      taken: '1,234 may be 1234 or 1.234, so that its cells are texts',
    });
  });

  test.each([
    [['12E5', '345'], '12E5 is taken for a name, so that its cells are texts'],
    [['6e2', ''], '6e2 is taken for a name, so that its cells are texts'],
    [['+4917012345', '+4917012346'], '+4917012345 is taken for no quantity, so that its cells are texts'],
    [['+49 170 123', '+49 170 124'], '+49 170 123 is taken for no quantity, so that its cells are texts'],
    [['1.1', '1.10', '1.2'], '1.1 and 1.10 are taken for different names, so that its cells are texts'],
    [['2', '2.0', '2.0.1'], undefined],
    [['1,1', '1,10'], '1,1 and 1,10 are taken for different names, so that its cells are texts'],
  ])('the name of something: %j', (cells, taken) => {
    const [column] = typedColumns([cells], '.');
    expect(column).toMatchObject({ type: 'TEXT', values: cells.map((cell) => cell || null) });
    expect(column?.taken).toBe(taken);
  });

  test.each([
    [['1e3', '2.5']],
    [['1e-3', '1e+21']],
    [['1.5E3']],
    [['+12345678', '-2345678']],
    [['+5', '+1234567']],
    [['5', '5.00', '2.50', '2.50']],
    [['0.5', '0.25', '0.125', '0.5']],
    [['-1.1', '1.10', '1.1']],
    [['1234.5', '1234.50']],
  ])('but not %j', (cells) => {
    expect(typedColumns([cells], '.')).toEqual([{ type: 'REAL', values: cells.map(Number) }]);
  });

  test.each([
    [['1.234', '12.5'], 1.234, undefined],
    [['1.234', '5.678'], 1.234, undefined],
    [['1.234', '5.678'], 1.234, '1.234 is taken for 1.234', ['0,5', '1,25']],
    [['1.234', '12.500'], 1234, undefined, ['0,5', '1,25']],
  ])(
    'and numbers of programs stay what they are, whatever texts stand beside them: %j',
    (cells, value, taken, other = ['x', 'y']) => {
      const [column] = typedColumns([cells, other]);
      expect([column?.values[0], column?.taken]).toEqual([value, taken]);
    },
  );
});
