import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tablesOfJson } from '../../../src/tools/attachments/json.ts';
import { parseTable } from '../../../src/tools/attachments/table.ts';

describe('a table is read', () => {
  test.each<[string, string, string[], string[][]]>([
    ['with commas', 'a,b\n1,2\n', ['a', 'b'], [['1', '2']]],
    ['with semicolons', 'a;b\n1,5;2\n', ['a', 'b'], [['1,5', '2']]],
    ['with tabs', 'a\tb\n1, 5\t2\n', ['a', 'b'], [['1, 5', '2']]],
    ['with bars', 'a|b\n1;5|2\n', ['a', 'b'], [['1;5', '2']]],
    ['with one column', 'a\n1\n2\n', ['a'], [['1'], ['2']]],
    [
      'with semicolons where a comma stands as often',
      'name;price, net\nx;1,50\ny;2,50\n',
      ['name', 'price, net'],
      [
        ['x', '1,50'],
        ['y', '2,50'],
      ],
    ],
    ['as Excel marks it', 'sep=;\r\na;b\r\n1;2\r\n', ['a', 'b'], [['1', '2']]],
    ['with a byte order mark', '\uFEFFa,b\n1,2', ['a', 'b'], [['1', '2']]],
    [
      'with delimiters, lines and quotes in quotes',
      'a,b\n"x, y","say ""no""\nor yes"\n',
      ['a', 'b'],
      [['x, y', 'say "no"\nor yes']],
    ],
    ['with quotes behind a backslash', 'a,b\n1,"say \\"no\\", or"\n', ['a', 'b'], [['1', 'say "no", or']]],
    [
      'with one column in which a comma stands',
      'name\nAnn\nBo, Jr\nCy\n',
      ['name', 'column_2'],
      [['Ann'], ['Bo', 'Jr'], ['Cy']],
    ],
    ['with a quote within a cell', 'size,n\n5" pipe,3\n', ['size', 'n'], [['5" pipe', '3']]],
    ['with spaces around cells', 'a , "b, c"\n 1 , 2\n', ['a', 'b, c'], [['1', '2']]],
    ['with rows of any length', 'a,b\n1\n1,2,3\n', ['a', 'b', 'column_3'], [['1'], ['1', '2', '3']]],
    ['without empty rows', 'a,b\n\n1,2\n,\n', ['a', 'b'], [['1', '2']]],
    ['with names made unique', 'a,A,,a\n1,2,3,4\n', ['a', 'A_2', 'column_3', 'a_3'], [['1', '2', '3', '4']]],
    [
      'with line ends of two systems',
      'a;b\r\n1;2\n3;4\r\n5;"six\nseven"\n',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
        ['5', 'six\nseven'],
      ],
    ],
    ['with old line ends', 'a,b\r1,2\r', ['a', 'b'], [['1', '2']]],
    [
      'below its title',
      'Sales of 2026\na;b\nx;1,5\ny;2\n',
      ['a', 'b'],
      [
        ['x', '1,5'],
        ['y', '2'],
      ],
    ],
    ['below comments', '# by station 7\n# in mm\na,b,c\nx,y,z\n', ['a', 'b', 'c'], [['x', 'y', 'z']]],
    [
      'below titles in cells',
      'Report,,,\nDay,May 5,,\na,b,c,d\nx,1,2,3\n',
      ['a', 'b', 'c', 'd'],
      [['x', '1', '2', '3']],
    ],
    [
      'below a balance with its currency',
      'Konto;DE02\nSaldo;1.234,56;EUR\na;b;c;d;e;f\nx;1;2;3;4;5\n',
      ['a', 'b', 'c', 'd', 'e', 'f'],
      [['x', '1', '2', '3', '4', '5']],
    ],
    [
      'below a balance, where most cells of its rows are empty',
      'Konto;;;1234\n01.03. - 31.03.\nSaldo;;;;2.500,00;EUR\na;b;c;d;e;f;g;h\nx;y;;;;;-39,95;\nx;y;;;;;;1,5\n',
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
      [
        ['x', 'y', '', '', '', '', '-39,95', ''],
        ['x', 'y', '', '', '', '', '', '1,5'],
      ],
    ],
    [
      'below remarks, where its header has years',
      'Source,World Bank,\nUpdated,2026-01-15,\nLand,Code,1960,1961,1970\nAruba,ABW,54208,,5\n',
      ['Land', 'Code', '1960', '1961', '1970'],
      [['Aruba', 'ABW', '54208', '', '5']],
    ],
    [
      'below many remarks that are nearly as wide',
      `${'Model,X3\nScale,4e-05\n'.repeat(8)}Label,,\nTIME,CH1,CH2\n0,1.5,NA\n1,1.6,\n`,
      ['TIME', 'CH1', 'CH2'],
      [
        ['0', '1.5', 'NA'],
        ['1', '1.6', ''],
      ],
    ],
    [
      'below comments with commas in them',
      '# by station 7\n# units: s, V\ntime,volt\n0,1.5\n',
      ['time', 'volt'],
      [['0', '1.5']],
    ],
    ['with a name that begins like a comment', '#id,name\nA1,Ann\n', ['#id', 'name'], [['A1', 'Ann']]],
    [
      'with a header that lacks the last name',
      'a,b\nr1,x,n/a\nr2,y,5\n',
      ['a', 'b', 'column_3'],
      [
        ['r1', 'x', 'n/a'],
        ['r2', 'y', '5'],
      ],
    ],
    [
      'with all that stands above another one',
      'Region,Sales\nNorth,10\nTeam,Lead,Size\nRed,Ada,4\n',
      ['Region', 'Sales', 'column_3'],
      [
        ['North', '10'],
        ['Team', 'Lead', 'Size'],
        ['Red', 'Ada', '4'],
      ],
    ],
    [
      'where one row has far more cells than its header',
      'a,b,c\nx,y,z\nu,v,w,t,s,r,q\nx,y,z\nx,y,z\n',
      ['a', 'b', 'c', 'column_4', 'column_5', 'column_6', 'column_7'],
      [
        ['x', 'y', 'z'],
        ['u', 'v', 'w', 't', 's', 'r', 'q'],
        ['x', 'y', 'z'],
        ['x', 'y', 'z'],
      ],
    ],
    ['and no row of numbers is its header', 'a\n1,2,3\n', ['a', 'column_2', 'column_3'], [['1', '2', '3']]],
    ['with nothing in it', '', [], []],
  ])('%s', (_, text, columns, rows) => {
    expect(parseTable(text)).toMatchObject({ columns, rows });
  });

  test('and what stands above it is told', () => {
    expect(parseTable('Report,,\nIn mm,,\na,b,c\nx,y,z\n').note).toBe('above the table stands: Report; In mm');
  });

  test.each([
    ['2026-01-01,12.5,Kiel\n2026-01-02,13.5,Bonn\n', true],
    ['Kiel;1,5\nBonn;2,5\n', true],
    ['DE02;03.01.2026\nDE02;04.01.2026\n', true],
    ['town,2021,2022\nKiel,1,2\n', false],
    ['who,1,2,3\nAda,7,7,8\n', false],
    ['who,2026-01-01\nAda,7\n', false],
    ['who,7\nAda,x\n', false],
    ['who,7\nAda,\n', false],
  ])('and that its first row may be data: %j, %s', (text, isSaid) => {
    expect(parseTable(text).note).toBe(isSaid ? 'its first row may be data' : undefined);
  });

  test.each([
    ['a;b\nx;1\nZwischensumme;1\ny;2\nGesamt;3\n', 'Zwischensumme, Gesamt'],
    ['year,town,b\n2026,Kiel,1\n,Subtotal 2026,1\nGrand Total:,,1\n', 'Subtotal 2026, Grand Total:'],
    [
      'a,b\nИтого,1\n合計,3\nInsgesamt:,4\nTotale generale,5\nTotaal,6',
      'Итого, 合計, Insgesamt:, Totale generale, Totaal',
    ],
    ['firm,b\nTotalEnergies,1\nSummer Ltd,2\n', undefined],
  ])('and which rows may be totals: %j', (text, names) => {
    const note = `rows that may be totals, which sums would count twice: ${names}`;
    expect(parseTable(text).note).toBe(names && note);
  });

  test('whatever the text is, without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\n', '\r', ' ', '1') }), (text) => {
        expect(parseTable(text).columns.every((column) => column !== '')).toBe(true);
      }),
    );
  });
});

const tableOfJson = (text: string, mediaType: string) => tablesOfJson(text, mediaType).get('data');

describe('JSON is a table', () => {
  test('where it is a list of records, with the keys of all', () => {
    expect(tableOfJson('[{"a": 1, "b": null}, {"c": {"d": true}, "a": "x"}]', 'application/json')).toEqual({
      columns: ['a', 'b', 'c'],
      rows: [
        ['1', '', ''],
        ['x', '', '{"d":true}'],
      ],
    });
  });

  test('with the digits of whole numbers that are too long for one', () => {
    const text = '{"id": 9007199254740993123, "in": {"id": 9007199254740993123}, "n": 1e20}';
    expect(tableOfJson(text, 'application/json')).toEqual({
      columns: ['id', 'in', 'n'],
      rows: [['9007199254740993123', '{"id":"9007199254740993123"}', '100000000000000000000']],
    });
  });

  test('where its lines are records; lines that are none are left out', () => {
    expect(tableOfJson('{"a": 1}\n{"a"\n{"a": 2}\n', 'application/jsonl')?.rows).toEqual([['1'], ['2']]);
  });

  test.each([
    ['{"log": {"entries": [{"a": 1}, {"b": {"c": []}}], "tags": ["x"]}, "none": []}', ['data', 'log.entries']],
    ['{"more": true, "data": [{"a": 1}]}', ['record', 'data']],
    ['[{"list": [{"a": 1}]}]', ['data']],
  ])('and so is each list of records in a record, by where it is: %s', (text, names) => {
    const tables = tablesOfJson(text, 'application/json');
    expect([...tables.keys()]).toEqual(names);
    if (names.length > 1) expect(tables.get(names[1] ?? '')?.rows[0]?.[0]).toBe('1');
  });

  test.each(['[1, 2]', '[]', '{'])('and not where it is %s', (text) => {
    expect(tableOfJson(text, 'application/json')).toBeUndefined();
  });
});
