import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chartText } from '../../../src/tools/attachments/office/charts.ts';
import { colourName, colourNames } from '../../../src/tools/attachments/office/colours.ts';
import { formulasText, sumsNote } from '../../../src/tools/attachments/office/formulas.ts';
import { formattedNumber, unitOf } from '../../../src/tools/attachments/office/cell-values.ts';
import { tableOf, type SheetGrid } from '../../../src/tools/attachments/office/sheet-layout.ts';
import { sheetsOf } from '../../../src/tools/attachments/table.ts';

describe('a colour is told in a word', () => {
  test.each([
    ['FFFF00', 'yellow'],
    ['FFF2CC', 'yellow'],
    ['FFC000', 'orange'],
    ['92D050', 'green'],
    ['00B0F0', 'blue'],
    ['7030A0', 'purple'],
    ['FF0000', 'red'],
    ['C00000', 'red'],
    ['833C0B', 'brown'],
    ['D9D9D9', 'gray'],
    ['000000', 'black'],
    ['FFFFFF', undefined],
  ])('%s is %s', (rgb, name) => expect(colourName(rgb)).toBe(name));

  test('with its digits where another shade has the same word', () => {
    expect([...colourNames(['FFFF00', 'FF0000', 'FFF2CC'])]).toEqual([
      ['FFFF00', 'yellow FFFF00'],
      ['FF0000', 'red'],
      ['FFF2CC', 'yellow FFF2CC'],
    ]);
  });
});

describe('a number is read by its format', () => {
  test.each([
    [1067, '00000', '01067'],
    [12345678, '000\\-00\\-0000', '012-34-5678'],
    [1.5, '[h]:mm', '36:00:00'],
    [-0.0625, '[mm]:ss', '-01:30:00'],
    [86.96 / 86_400, '[mm]:ss.00', '00:01:26.960'],
    [-0.5 / 86_400, '[ss].00', '-00:00:00.500'],
    [7, '0.000', undefined],
    [7, '00', undefined],
    [1234.5, '#,##0.00', undefined],
    [45_000, 'yyyy-mm-dd', undefined],
    [1, '[=1]"Yes";[=0]"No";General', 'Yes'],
    [0, '[=1]"Yes";[=0]"No";General', 'No'],
    [7, '[=1]"Yes";[=0]"No";General', undefined],
    [7, '0 "kg"', undefined],
    [12, '"INV-"00000', 'INV-00012'],
    [12_345_678, '000"-"00"-"0000', '012-34-5678'],
    [31_032_026, '00"."00"."0000', '31.03.2026'],
    [1, '"Q"0', 'Q1'],
    [7, '\\K\\W\\ 00;@', 'KW 07'],
    [7, '"ca. "0', undefined],
    [7, '"CHF "0', undefined],
    [7, '00000" kg"', undefined],
    [-7, '"INV-"00000', undefined],
  ])('%d as %s is %s', (value, format, text) => expect(formattedNumber(value, format)).toBe(text));

  test.each([
    ['#,##0.00 "EUR"', 'EUR'],
    ['_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-', '€'],
    ['_("$"* #,##0.00_)', '$'],
    ['0.0\\ \\k\\g', 'kg'],
    ['$#,##0', '$'],
    ['[Red]0.00%', ''],
    ['[$-409]0', ''],
    ['General', ''],
    ['[=1]"Yes";[=0]"No"', ''],
    ['#,##0.0,"k"', ''],
    ['"CHF "0', 'CHF'],
    ['"kr. "0', 'kr.'],
    ['"INV-"00000', ''],
    ['"ca. "0" kg"', 'kg'],
  ])('the unit of %s is %j', (format, unit) => expect(unitOf(format)).toBe(unit));
});

describe('a sheet becomes a table', () => {
  const maps = { hiddenRows: new Map(), colours: new Map(), comments: new Map(), links: new Map() };
  const none = { ...maps, merged: [], hiddenColumns: [] };
  const laid = (rows: string[][], more: Partial<SheetGrid> = {}) =>
    tableOf({ rows, isNumber: (row, column) => /^\d+$/.test(rows[row]?.[column] ?? ''), ...none, ...more });

  test('below its titles, which are told apart', () => {
    const { headerRow, lines, remarks } = laid([['Report'], [], ['in kg'], ['a', 'b', 'c'], ['1', '2', '3']]);
    expect({ headerRow, lines, remarks }).toEqual({
      headerRow: 3,
      lines: [
        ['a', 'b', 'c'],
        ['1', '2', '3'],
      ],
      remarks: ['above the table: Report', 'above the table: in kg', 'rows of the sheet that are not empty: 1, 3-5'],
    });
  });

  test.each([
    [['Costs'], ['Rent', '7'], 'other tables may begin below empty rows, at the sheet’s rows 4'],
    [['Total', '7'], [], undefined],
    [['A remark'], ['and another'], undefined],
  ])('and rows where another may begin are told: %j, %j', (first, second, note) => {
    const { notes } = laid([['a', 'b'], ['x', '1'], [], first, second]);
    expect(notes).toEqual(note === undefined ? [] : [note]);
  });

  test('with the places that its cells lead to', () => {
    const links = new Map([
      [0, 'A1: https://a'],
      [1, 'B2: https://b'],
    ]);
    const { lines, remarks } = laid(
      [
        ['a', 'b'],
        ['1', 'site'],
      ],
      { links },
    );
    expect({ lines, remarks }).toEqual({
      lines: [
        ['a', 'b', '_link'],
        ['1', 'site', 'B2: https://b'],
      ],
      remarks: ['link at A1: https://a'],
    });
  });

  test('whose header has two rows where one of them is merged', () => {
    const merged = [{ top: 0, left: 1, bottom: 0, right: 2 }];
    const { lines } = laid(
      [
        ['', '2022', ''],
        ['town', 'in', 'out'],
        ['Vik', '1', '2'],
      ],
      { merged },
    );
    expect(lines[0]).toEqual(['town', '2022 in', '2022 out']);
  });

  test('in which a merged text is repeated, and a merged number is not', () => {
    const rows = [
      ['a', 'b', 'c'],
      ['North', '5', 'x'],
      ['', '', 'y'],
    ];
    const merged = [0, 1].map((column) => ({ top: 1, left: column, bottom: 2, right: column }));
    expect(laid(rows, { merged }).lines.slice(1)).toEqual([
      ['North', '5', 'x'],
      ['North', '', 'y'],
    ]);
  });

  test('with one column for colours where whole rows have them', () => {
    const colours = new Map([0, 1].map((column) => [column, new Map([[1, 'red']])]));
    const { lines, notes } = laid(
      [
        ['a', 'b'],
        ['1', '2'],
        ['3', '4'],
      ],
      { colours },
    );
    expect(lines).toEqual([
      ['a', 'b', '_color'],
      ['1', '2', 'red'],
      ['3', '4', ''],
    ]);
    expect(notes).toEqual(['1 rows are coloured (red), see _color']);
  });

  test('and with none for what nobody can see: a table without looks stays as it is', () => {
    const cell = fc.stringMatching(/^[a-z0-9]{1,5}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }), (rows) => {
        expect(laid(rows.map((row) => [...row]))).toEqual({ lines: rows, remarks: [], headerRow: 0, notes: [] });
      }),
    );
  });

  test('whose remarks are no rows', () => {
    const text = '[sheet 1: S]\n[above the table: x]\n[formulas: y]\na,b\n1,2\n\n[chart: c (bar)]\n | s\n1 | 2\n';
    expect(sheetsOf(text)).toEqual([{ name: 'S', remarks: '[above the table: x]\n[formulas: y]\n', csv: 'a,b\n1,2' }]);
  });
});

test('formulas that differ only by their place are told once', () => {
  const formulas = [1, 2, 3].map((row) => ({ row, column: 2, text: `A${row + 1}*$B$1` }));
  expect(formulasText([...formulas, { row: 4, column: 2, text: 'SUM(C2:C4)' }])).toBe(
    'C2:C4 = A2*$B$1; C5 = SUM(C2:C4)',
  );
});

test.each([
  ['SUM(B2:B8)', true],
  ['SUBTOTAL(109,$B$2:$B$8)', true],
  ['SUBTOTAL(109,Table1[EUR])', true],
  ['SUM(C2:C8)', false],
  ['SUM(A9:A9)', false],
  ['SUM(B2:D2)', false],
  ['SUM(B2:B8)/2', false],
])('a cell is said to add up others of its column: %s, %s', (text, isSaid) => {
  const note = 'cells that add up others of their column, which sums would count twice: B9';
  expect(sumsNote([{ row: 8, column: 1, text }])).toBe(isSaid ? note : undefined);
});

test('a chart without values names where they are, and dates are dates', () => {
  const series = (values: string): string =>
    `<c:chart><c:plotArea><c:lineChart><c:ser><c:val><c:numRef><c:f>S!$B$2</c:f>${values}</c:numRef></c:val></c:ser></c:lineChart></c:plotArea></c:chart>`;
  expect(chartText(series(''))).toBe('[chart: without a title (line)]\nseries: the values of S!$B$2');
  const dated = '<c:numCache><c:formatCode>yyyy-mm-dd</c:formatCode><c:pt idx="0"><c:v>45000</c:v></c:pt></c:numCache>';
  expect(chartText(series(dated))).toBe('[chart: without a title (line)]\n | series 1\n1 | 2023-03-15');
});

test('a chart has the titles of its axes, and the sizes of its bubbles', () => {
  const values = (part: string, value: number): string =>
    `<c:${part}><c:numRef><c:numCache><c:pt idx="0"><c:v>${value}</c:v></c:pt></c:numCache></c:numRef></c:${part}>`;
  const series = `<c:ser>${values('xVal', 1)}${values('yVal', 2)}${values('bubbleSize', 37)}</c:ser>`;
  const axis = '<c:valAx><c:title><c:tx><a:t>million </a:t><a:t>tons</a:t></c:tx></c:title></c:valAx>';
  expect(chartText(`<c:chart><c:plotArea><c:bubbleChart>${series}</c:bubbleChart>${axis}</c:plotArea></c:chart>`)).toBe(
    '[chart: without a title (bubble); axis: million tons]\n | series 1\n1 | 2 (size 37)',
  );
});
