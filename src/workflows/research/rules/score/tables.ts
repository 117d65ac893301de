/** What a cell may add to a line, and how many cells count: a table is a few columns, or it is none. */
const longestName = 60;
const mostCells = 40;

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|', mostCells)
    .map((cell) => cell.trim());

const isSeparator = (line: string | undefined): boolean =>
  line !== undefined && line.includes('-') && line.includes('|') && /^[\s|:-]+$/.test(line);

const isName = (cell: string): boolean => /\p{L}/u.test(cell) && !/^[^\p{L}]*\d/u.test(cell);

const short = (cell: string | undefined): string => (cell ?? '').slice(0, longestName);

/** A row below a header: each of its cells under the row's name and the column's. */
function rowBelow(header: string[], row: string): string[] {
  const cells = cellsOf(row);
  const named = cells.findIndex(isName);
  const name = short(cells[named]);
  return cells.flatMap((cell, column) =>
    column === named || cell === '' ? [] : [`${name} ${short(header[column])}: ${cell}`],
  );
}

/** A row without a header: `Viability | 58` is a name and its value, `Viability: 58 | Risk: 40` are two. */
function rowAlone(row: string): string[] {
  const [name = '', value, ...rest] = cellsOf(row);
  if (value === undefined || name.includes(':') || !isName(name)) return cellsOf(row);
  return [`${short(name)}: ${value}`, ...rest];
}

/** Lines in which each row of a Markdown table has become lines of the kind `name column: value`. */
export function withoutTables(lines: string[]): string[] {
  let header: string[] | undefined;
  return lines.flatMap((line, index) => {
    if (!line.includes('|')) {
      header = undefined;
      return [line];
    }
    if (isSeparator(line)) return [];
    if (isSeparator(lines[index + 1])) {
      header = cellsOf(line);
      return [''];
    }
    return header === undefined ? rowAlone(line) : rowBelow(header, line);
  });
}
