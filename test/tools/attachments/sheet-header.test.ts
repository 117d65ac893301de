import { describe, expect, test } from 'vitest';
import { tableOf, type SheetGrid } from '../../../src/tools/attachments/office/sheet-layout.ts';

const looks = { hiddenRows: new Map(), hiddenColumns: [], colours: new Map(), comments: new Map(), links: new Map() };

/** The table of a sheet that is written as a text, with bars between its cells. @param ranges what is merged, as `0: 1-2` */
function laid(text: string, ranges: string[] = []) {
  const rows = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const merged: SheetGrid['merged'] = ranges.map((range) => {
    const [top = 0, left = 0, right = left, bottom = top] = range.split(/[: -]+/).map(Number);
    return { top, left, right, bottom };
  });
  const isNumber = (row: number, column: number): boolean => /^\d+$/.test(rows[row]?.[column] ?? '');
  return tableOf({ ...looks, rows, merged, isNumber });
}

describe('the header of a sheet', () => {
  test.each<[rule: string, text: string, merged: string[], columns: string]>([
    [
      'has what names groups of columns above it',
      '|Sales||Cost|\nA|24|25|24|25\nx|1|2|3|4',
      [],
      'A|Sales 24|Sales 25|Cost 24|Cost 25',
    ],
    [
      'has years below the names of groups',
      '|In||Out|\nA|2024|2025|2024|2025\nx|1|2|3|4',
      [],
      'A|In 2024|In 2025|Out 2024|Out 2025',
    ],
    ['has them below a title', 'Report\n|N||S|\nA|u|v|u|v\nx|1|2|3|4', [], 'A|N u|N v|S u|S v'],
    [
      'has them where they are merged',
      'Report\n|N||S|\nA|u|v|u|v\nx|1|2|3|4',
      ['1: 1-2', '1: 3-4'],
      'A|N u|N v|S u|S v',
    ],
    ['has them where names repeat below one that has none', 'A|N||S|\n|u|v|u|v\nx|1|2|3|4', [], 'A|N u|N v|S u|S v'],
    ['has none of what stands behind the groups', '|N||S||\nA|u|v|u|v|Sum\nx|1|2|3|4|9', [], 'A|N u|N v|S u|S v|Sum'],
    [
      'has a larger last group where its names repeat',
      '|N||S||\nA|u|v|w|u|v\nx|1|2|3|4|9',
      [],
      'A|N u|N v|S w|S u|S v',
    ],
    [
      'has as many rows as divide each other',
      'A|24||||25|\n|1||2||1|\n|p|q|p|q|p|q\nx|1|2|3|4|5|6',
      ['0: 0-0: 2', '0: 1-4', '0: 5-6', '1: 1-2', '1: 3-4', '1: 5-6'],
      'A|24 1 p|24 1 q|24 2 p|24 2 q|25 1 p|25 1 q',
    ],
    [
      'has these below columns with names of their own',
      'A|B|C|24|||\n|||1||2|\n|||p|q|p|q\nx|y|z|1|2|3|4',
      ['0: 3-6', '1: 3-4', '1: 5-6'],
      'A|B|C|24 1 p|24 1 q|24 2 p|24 2 q',
    ],
    ['is one row where all rows are merged alike', 'A|B|\nx|1|\ny|2|', ['0: 1-2', '1: 1-2', '2: 1-2'], 'A|B|B'],
    ['has no title of two texts', 'Report|||Day\nA|b|c|d|e\nx|1|2|3|4', ['0: 0-2', '0: 3-4'], 'A|b|c|d|e'],
    ['has no title in the middle', '||Report||\nA|b|c|d|e\nx|1|2|3|4', [], 'A|b|c|d|e'],
    ['has no texts side by side', '|Firm|Acme||\nA|b|c|d|e\nx|1|2|3|4', [], '|Firm|Acme||'],
    ['has no row of numbers below it', 'A|N||S|\n|1|2|1|2\nx|1|2|3|4', [], 'A|N||S|'],
  ])('%s', (_, text, merged, columns) => {
    expect(laid(text, merged).lines[0]?.join('|')).toBe(columns);
  });

  test('is said to be unsure where what is above it is neither a title nor names groups', () => {
    const note = 'its header may have more than one row';
    expect(laid('|Firm|Acme||\nA|b|c|d|e\nx|1|2|3|4').notes).toEqual([note]);
    expect(laid('Firm|Acme\nA|b|c|d|e\nx|1|2|3|4')).toMatchObject({
      notes: [],
      remarks: ['above the table: Firm | Acme'],
    });
  });
});
