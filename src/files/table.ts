import { recordsOf } from './csv.ts';
import { delimiterOf } from './delimiter.ts';

/** A table in texts. Rows may be shorter than the columns are many. */
export interface Table {
  /** Unique; what has no name is `column_3`. */
  columns: string[];
  rows: string[][];
  /** What is wrong with it. */
  note?: string;
}

/**
 * Reads a table whose first row names the columns, with commas, semicolons, tabs or bars between the cells.
 * Never throws: what is amiss is read as well as it can be, and noted.
 */
export function parseTable(text: string): Table {
  const { delimiter, body } = delimiterOf(text);
  const { records, note } = recordsOf(body, delimiter);
  const [header = [], ...rows] = records;
  const ragged = rows.findIndex((row) => row.length !== header.length);
  const count = rows.filter((row) => row.length !== header.length).length;
  const notes = [
    note ?? '',
    records.length === 0 ? 'the table is empty' : '',
    count === 0
      ? ''
      : `${count} of ${rows.length} rows have more or fewer cells than the ${header.length} columns (the first: row ${ragged + 1})`,
  ].filter((each) => each !== '');
  return {
    columns: columnNames(header, rows),
    rows,
    ...(notes.length > 0 && { note: notes.join('; ') }),
  };
}

/** Names for all cells that some row has. */
export function columnNames(header: string[], rows: string[][]): string[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), header.length);
  const taken = new Set<string>();
  return Array.from({ length: width }, (_, index) => {
    const given = header[index] || `column_${index + 1}`;
    let name = given;
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${given}_${number}`;
    taken.add(name.toLowerCase());
    return name;
  });
}
