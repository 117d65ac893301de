import { describe, expect, test } from 'vitest';
import { pageText, type TextItem } from '../../../src/tools/attachments/pdf/pdf-layout.ts';
import { smaller, pngOf } from '../../../src/tools/attachments/pdf/pdf-pictures.ts';
import { imageTypeOf } from '../../../src/util/image-type.ts';

describe('the text of a page', () => {
  const item = (str: string, x: number, y: number): TextItem => ({
    str,
    transform: [1, 0, 0, 1, x, y],
    width: str.length * 5,
    height: 10,
    hasEOL: false,
  });

  test.each<[string, TextItem[], string]>([
    [
      'keeps empty cells of a table',
      [item('Town', 0, 90), item('2021', 60, 90), item('2022', 120, 90), item('Bode', 0, 75), item('23', 130, 75)],
      'Town | 2021 | 2022\nBode |  | 23',
    ],
    [
      'puts numbers to the right below a heading to the left',
      [item('Name', 0, 90), item('Cod', 60, 90), item('Herring', 120, 90)].concat(
        [item('Vik', 0, 75), item('31', 90, 75), item('2', 160, 75)],
        [item('Ask', 0, 60), item('7', 95, 60)],
      ),
      'Name | Cod | Herring\nVik | 31 | 2\nAsk | 7',
    ],
    [
      'keeps two columns of prose behind one another',
      [
        item('first line here', 0, 90),
        item('second line', 0, 75),
        item('right column', 200, 90),
        item('ends', 200, 75),
      ],
      'first line here\nsecond line\nright column\nends',
    ],
    [
      'tells small letters above and below from those of the line',
      [
        item('10', 0, 90),
        { ...item('6', 10, 94), height: 6 },
        item(' tons of H', 16, 90),
        { ...item('2', 66, 87), height: 8.9 },
        item('O', 71, 90),
        { ...item('2', 76, 94.5), height: 8.9 },
        { ...item('1 A note', 0, 30), height: 6 },
      ],
      '10^6 tons of H_2O^2\n1 A note',
    ],
    [
      'takes no list for a table',
      [item('1. ', 0, 90), item('One', 40, 90), item('2. ', 0, 75), item('Two', 40, 75)],
      '1. One\n2. Two',
    ],
    [
      'a table whose long cells have numbers beside their middle',
      [
        item('No', 0, 90),
        item('What', 20, 90),
        item('Qty', 120, 90),
        item('Sum', 160, 90),
        item('1', 0, 60),
        item('A cell of', 20, 66),
        item('two lines', 20, 54),
        item('3', 120, 60),
        item('9', 160, 60),
        item('2', 0, 30),
        item('A cell of', 20, 36),
        item('two lines', 20, 24),
        item('5', 160, 30),
      ],
      'No | What | Qty | Sum\n | A cell of\n1 |  | 3 | 9\n | two lines\n | A cell of\n2 |  |  | 5\n | two lines',
    ],
    [
      'columns of words, one behind the other',
      [item('Left one', 0, 90), item('left two', 0, 75), item('Right one', 120, 90), item('right two', 120, 75)],
      'Left one\nleft two\nRight one\nright two',
    ],
  ])('%s', (_, items, text) => expect(pageText(items)).toBe(text));

  const row = (y: number, ...texts: Array<[str: string, x: number]>): TextItem[] =>
    texts.map(([str, x]) => item(str, x, y));

  test.each<[string, TextItem[], string]>([
    [
      'words of Hebrew that a file has from right to left',
      row(90, ['בשנת', 180], ['2019', 155], ['נבנה הנמל עד', 90], ['14', 75]),
      'בשנת 2019 נבנה הנמל עד 14',
    ],
    [
      'words of Hebrew that a file has from left to right',
      row(90, ['5-', 0], ['של', 13], [' ', 23], ['New', 24], ['York', 42], ['הנמל', 65], ['2019', 88], ['בשנת', 111]),
      'בשנת 2019 הנמל New York של -5',
    ],
    [
      'letters of Arabic that a file has one by one, as they look',
      row(90, ['ﻢ', 0], ['ﻟ', 5], ['ﺎ', 10], ['ﻌ', 15], ['ﻟ', 20], ['ﺎ', 25]),
      'العالم',
    ],
    [
      'a Hebrew table, whose first column is on the right',
      [...row(90, ['2021', 0], ['תושבים', 60], ['עיר', 120]), ...row(75, ['12', 10], ['עכו', 120])],
      'עיר | תושבים | 2021\nעכו |  | 12',
    ],
  ])('reads from the right %s', (_, items, text) => expect(pageText(items)).toBe(text));

  test.each<[string, TextItem[], string]>([
    [
      'narrow columns of figures are columns',
      [
        ...row(90, ['A', 0], ['B', 12], ['C Sum', 24]),
        ...row(75, ['1', 0], ['2', 24]),
        ...row(60, ['3', 0], ['4', 12]),
      ],
      'A | B | C Sum\n1 |  | 2\n3 | 4',
    ],
    [
      'values that a file has as one text stand in their columns',
      [
        ...row(90, ['Name', 0], ['Debit', 60], ['Credit', 120], ['Text', 180]),
        ...row(75, ['Ada', 0], ['1.50', 65], ['2.50', 130], ['none', 180]),
        ...row(60, ['Bo', 0], ['12345678.50 2.50', 70], ['none', 180]),
        ...row(45, ['Cy', 0], ['1234567.50 of row 1', 125]),
        ...row(30, ['Di', 0], ['– 2.50', 120]),
      ],
      'Name | Debit | Credit | Text\nAda | 1.50 | 2.50 | none\nBo | 12345678.50 | 2.50 | none\n' +
        'Cy |  | 1234567.50 | of row 1\nDi |  | – 2.50',
    ],
    [
      'headings that a file has as one text stand above their columns',
      [
        ...row(90, ['Name', 0], ['Count Price', 60], ['Sum', 140]),
        ...row(75, ['Ada', 0], ['7', 70], ['2.50', 100], ['9.50', 140]),
      ],
      'Name | Count | Price | Sum\nAda | 7 | 2.50 | 9.50',
    ],
    [
      'a heading over two columns is one',
      [
        ...row(90, ['Ferry', 0], ['Net sales', 60]),
        ...row(75, ['2023', 60], ['2024', 90]),
        ...row(60, ['Ada', 0], ['1', 75], ['2', 105]),
      ],
      'Ferry | Net sales\n | 2023 | 2024\nAda | 1 | 2',
    ],
    [
      'words over columns of numbers are no values',
      [
        ...row(90, ['Name', 0], ['2023', 60], ['2024', 90], ['Sum', 120]),
        ...row(75, ['Ada', 0], ['1', 75], ['2', 105], ['3', 130]),
        ...row(60, ['Total of 12 ferries', 0], ['9', 130]),
      ],
      'Name | 2023 | 2024 | Sum\nAda | 1 | 2 | 3\nTotal of 12 ferries |  |  | 9',
    ],
    [
      'a number with spaces that reaches into two columns is one, and a note says that it may be two',
      [
        ...row(90, ['Name', 0], ['2023', 60], ['2024', 90], ['Sum', 120]),
        ...row(75, ['Ada', 0], ['1', 75], ['2', 105], ['3', 130]),
        ...row(60, ['Bo', 0], ['1 234 567', 65], ['9', 130]),
      ],
      'Name | 2023 | 2024 | Sum\nAda | 1 | 2 | 3\nBo | 1 234 567 |  | 9\n' +
        '[a cell of this table may hold values of several columns]',
    ],
    [
      'a minus sign that stands apart is of its number where others have signs',
      [
        ...row(90, ['Name', 0], ['2023', 60], ['2024', 90], ['Sum', 120]),
        ...row(75, ['Ada', 0], ['+1', 70], ['+2', 100], ['3', 130]),
        ...row(60, ['Bo', 0], ['– 34', 75], ['9', 130]),
      ],
      'Name | 2023 | 2024 | Sum\nAda | +1 | +2 | 3\nBo | – 34 |  | 9\n' +
        '[a cell of this table may hold values of several columns]',
    ],
    [
      'numbers in prose with wide spaces are no columns',
      [
        ...row(90, ['It was in 1990 ', 0], ['1991 ', 82], ['and', 114]),
        ...row(75, ['or later, Table 3. ', 0], ['43% of us', 102]),
      ],
      'It was in 1990 1991 and\nor later, Table 3. 43% of us',
    ],
  ])('%s', (_, items, text) => expect(pageText(items)).toBe(text));

  test.each([
    ['above', [0, 1, -1, 0], (x: number, y: number) => [-y, x]],
    ['the left', [-1, 0, 0, -1], (x: number, y: number) => [-x, -y]],
    ['below', [0, -1, 1, 0], (x: number, y: number) => [y, -x]],
  ])('is the same where most of it runs to %s', (_, turned, place) => {
    const items = [
      item('Town', 0, 90),
      item('2021', 60, 90),
      item('2022', 120, 90),
      item('Bode', 0, 75),
      item('23', 130, 75),
    ].map((each) => ({ ...each, transform: [...turned, ...place(each.transform[4] ?? 0, each.transform[5] ?? 0)] }));
    expect(pageText(items)).toBe('Town | 2021 | 2022\nBode |  | 23');
  });
});

test('a picture of a page is PNG, and made smaller where it is large', () => {
  const image = { data: new Uint8Array(4100 * 3).fill(9), width: 4100, height: 3, channels: 1 as const };
  const small = smaller(image);
  expect({ ...small, data: [...new Set(small.data)] }).toEqual({ data: [9], width: 1366, height: 1, channels: 1 });
  expect(imageTypeOf(pngOf(small))).toBe('image/png');
});
