import { shortened } from '../../workflows/runtime/size.ts';
import { parseTable } from './table.ts';

interface Sheet {
  name: string;
  /** Lines in brackets before its rows: what stands above the table, comments, formulas. */
  remarks: string;
  csv: string;
}

/** The line that stands before the rows of a sheet. No row begins with a bracket. @param number from 1 */
export const sheetHeading = (number: number, name: string): string =>
  `[sheet ${number}: ${name.replaceAll(/[\p{C}\s]+/gu, ' ')}]`;

/** The line before the texts of shapes, which stand behind all sheets as charts do. */
export const shapesHeading = '[shapes]';

export function sheetsOf(text: string): Sheet[] {
  return text.split(/^(?=\[sheet \d+: |\[chart[:\]]|\[formula\]$|\[shapes\]$|\[properties: )/m).flatMap((part) => {
    const [head, name, remarks = ''] = /^\[sheet \d+: (.*)\]\n((?:\[.*\]\n)*)/.exec(part) ?? [];
    return name === undefined ? [] : [{ name, remarks, csv: part.slice(head?.length).trimEnd() }];
  });
}

/** What a prompt shows of a workbook: its sheets with their columns, how many rows they have, and the first two. */
export function workbookPreview(text: string): string {
  const sheets = sheetsOf(text).map(({ csv, name, remarks }) => {
    const { columns, rows } = parseTable(csv.split('\n', 3).join('\n'), ',');
    let count = 0;
    // A list of a million lines would hold up the process.
    for (let at = csv.indexOf('\n'); at !== -1; at = csv.indexOf('\n', at + 1)) count += 1;
    return [
      `Sheet "${name}", ${count} ${count === 1 ? 'row' : 'rows'}: ${columns.join(', ') || 'empty'}`,
      ...rows.map((row) => row.join(' | ')),
      ...(remarks === '' ? [] : [shortened(remarks.trimEnd(), 300)]),
    ];
  });
  return sheets.flat().join('\n');
}
