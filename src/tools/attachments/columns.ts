/** A column as SQLite gets it: numbers if all filled cells are numbers, otherwise texts. An empty cell is null. */
interface TypedColumn {
  type: 'REAL' | 'TEXT';
  values: Array<number | string | null>;
  /** How a number was understood that may be another one, where nothing in the table tells: `1.250 is taken for 1250`. */
  taken?: string;
  /** Of texts most of which are numbers: one that is none, such as `NA` or `(5)`, which sums would take for something else. */
  other?: string;
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
    const other = typed.type === 'TEXT' ? otherIn(cells, mark) : undefined;
    if (other !== undefined) return { ...typed, other };
    const isGuessed = usual !== undefined && only.length === 0 && marks.length === 2;
    const at = isGuessed ? cells.findIndex((cell) => /[.,]/.test(cell)) : -1;
    return at === -1 ? typed : { ...typed, taken: `${cells[at]?.trim()} is taken for ${typed.values[at]}` };
  });
}

/** Whether a cell is a plain number. */
export const isNumber = (cell: string): boolean => marksOf([cell]).length > 0;

/** What people write around numbers. */
const around = /[()%\p{Sc}\s]|−|-$/gu;

/** How many cells tell what most of a column are. */
const mostExamined = 1000;

/** A cell that keeps a column from being numbers, most of whose cells are. */
function otherIn(cells: string[], mark: DecimalMark): string | undefined {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const examined = filled.slice(0, mostExamined);
  const bare = examined.map((cell) => cell.replaceAll(around, '').replaceAll(/(?<=\d),(?=\d)/g, ''));
  if (bare.filter(isNumber).length * 2 < examined.length) return undefined;
  return filled.find((cell) => !isNumber(cell)) ?? filled.find((cell) => !shapes[mark].test(cell));
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
