/** A column as SQLite gets it: numbers if all filled cells are numbers, otherwise texts. An empty cell is null. */
interface TypedColumn {
  type: 'REAL' | 'TEXT';
  values: Array<number | string | null>;
  /** How a number was understood that may be another one, where nothing in the table tells: `1.250 is taken for 1250`. */
  taken?: string;
}

/**
 * Plain numbers by the mark before their decimals, with or without thousands separators. What starts with a zero or has
 * more than 15 digits is taken for an id, which a number would not preserve. Cells with units, currencies or percent
 * signs are not plain numbers.
 */
const shapes = {
  '.': /^[-+]?(?=\.?\d)(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:([,\s'’])\d{3})(?:\1\d{3})*)?(?:\.\d*)?(?:e[-+]?\d{1,3})?$/i,
  ',': /^[-+]?(?=,?\d)(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:([.\s'’])\d{3})(?:\1\d{3})*)?(?:,\d*)?(?:e[-+]?\d{1,3})?$/i,
};

/** What stands before decimals. */
export type DecimalMark = keyof typeof shapes;

/**
 * Types columns, each as a whole. A single cell that is not a number, or is one in another notation, makes it texts. Where
 * 1.250 may be either number, the columns that have but one notation tell.
 *
 * @param usual the mark where none tells; absent where programs have written the numbers, always with a point
 */
export function typedColumns(columns: string[][], usual?: DecimalMark): TypedColumn[] {
  const fitting = columns.map((cells) => marksOf(cells));
  const only = fitting.flatMap((marks) => (marks.length === 1 ? marks : []));
  const mark = usual === undefined ? '.' : (only.find((each) => each === ',') ?? only[0] ?? usual);
  return columns.map((cells, index) => {
    const marks = fitting[index] ?? [];
    const typed = typedColumn(cells, marks.includes(mark) ? mark : marks[0]);
    const isGuessed = usual !== undefined && only.length === 0 && marks.length === 2;
    const at = isGuessed ? cells.findIndex((cell) => /[.,]/.test(cell)) : -1;
    return at === -1 ? typed : { ...typed, taken: `${cells[at]?.trim()} is taken for ${typed.values[at]}` };
  });
}

function marksOf(cells: string[]): DecimalMark[] {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  if (filled.length === 0) return [];
  return (['.', ','] as const).filter((mark) => filled.every((cell) => shapes[mark].test(cell)));
}

function typedColumn(cells: string[], mark: DecimalMark | undefined): TypedColumn {
  if (mark === undefined) return { type: 'TEXT', values: cells.map((cell) => (cell === '' ? null : cell)) };
  const separators = mark === '.' ? /[,\s'’]/g : /[.\s'’]/g;
  const values = cells.map((cell) =>
    cell.trim() === '' ? null : Number(cell.replaceAll(separators, '').replace(',', '.')),
  );
  return { type: 'REAL', values };
}
