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
