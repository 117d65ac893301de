/** A column as SQLite gets it: numbers if all filled cells are numbers, otherwise texts. An empty cell is null. */
interface TypedColumn {
  type: 'REAL' | 'TEXT';
  values: Array<number | string | null>;
  /** How a number was understood that may be another one, or why it is none: `1.250 is taken for 1250`. */
  taken?: string;
  /** Of texts most of which are numbers: one that is none, such as `NA` or `(5)`, which sums would take for something else. */
  other?: string;
}

/**
 * Plain numbers by the mark before their decimals, with or without thousands separators. What starts with a zero or has
 * more than 15 digits is an id, which a number would not preserve. Units, currencies and percent signs are not plain.
 */
const shapes = {
  '.': /^[-+]?(?=\.?\d)(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:([,\s'’])\d{3})(?:\1\d{3})*)?(?:\.\d*)?(?:e[-+]?\d{1,3})?$/i,
  ',': /^[-+]?(?=,?\d)(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:([.\s'’])\d{3})(?:\1\d{3})*)?(?:,\d*)?(?:e[-+]?\d{1,3})?$/i,
};

export type DecimalMark = keyof typeof shapes;
const decimalMarks = ['.', ','] as const;

/**
 * Types columns, each as a whole. A single cell that is not a number, or is one in another notation, makes it texts. Where
 * 1.250 may be either number, the columns that have but one notation tell, or else what is usual, which is then said. Where
 * they contradict each other, it stays a text. So do digits that name something: versions, telephone and article numbers.
 *
 * @param usual the mark where none tells; absent where programs may have written the numbers, always with a point
 */
export function typedColumns(columns: string[][], usual?: DecimalMark): TypedColumn[] {
  const fitting = columns.map((cells) => marksOf(cells));
  const telling = fitting.flatMap((marks, index) =>
    marks.length === 1 && (usual !== undefined || isWritten(columns[index] ?? [], marks)) ? marks : [],
  );
  const [told] = telling;
  const isTorn = telling.some((each) => each !== told);
  return columns.map((cells, index) => {
    const marks = fitting[index] ?? [];
    const at = marks.length === 2 ? cells.findIndex((cell) => /[.,]/.test(cell)) : -1;
    if (at === -1) return typedPlainly(cells, marks[0] ?? told ?? usual ?? '.', marks.length > 0);
    const unclear = cells[at]?.trim() ?? '';
    // A program writes 1.25 and not 1.250.
    const isProgram = usual === undefined && !isWritten(cells, marks);
    const mark = isProgram ? '.' : isTorn ? undefined : (told ?? usual ?? (unclear.includes(',') ? '.' : undefined));
    if (mark === undefined) {
      const [point, comma] = decimalMarks.map((each) => numberOf(unclear, each));
      return { ...texts(cells), taken: `${unclear} may be ${point} or ${comma}, so that its cells are texts` };
    }
    const typed = typedPlainly(cells, mark, true);
    const isGuessed = isProgram ? telling.includes(',') : told === undefined;
    return isGuessed && typed.type === 'REAL'
      ? { ...typed, taken: `${unclear} is taken for ${typed.values[at]}` }
      : typed;
  });
}

/** A column of one notation. @param mark its own, or if it is no numbers that of the table */
function typedPlainly(cells: string[], mark: DecimalMark, isNumbers: boolean): TypedColumn {
  if (!isNumbers) {
    const other = otherIn(cells, mark);
    return { ...texts(cells), ...(other !== undefined && { other }) };
  }
  const name = namesIn(cells, mark);
  if (name !== undefined) return { ...texts(cells), taken: name };
  return { type: 'REAL', values: cells.map((cell) => (cell.trim() === '' ? null : numberOf(cell, mark))) };
}

const texts = (cells: string[]): TypedColumn => ({
  type: 'TEXT',
  values: cells.map((cell) => (cell === '' ? null : cell)),
});

/** Whether a column is certainly texts: no program gives a number a comma, or a zero behind its decimals. */
const isWritten = (cells: string[], marks: DecimalMark[]): boolean =>
  !marks.includes('.') || cells.some((cell) => /,|\.\d*0$/.test(cell.trim()));

/** What says of digits that they are a name, as `+4917012345 is no quantity, …`; undefined if they are numbers. */
function namesIn(cells: string[], mark: DecimalMark): string | undefined {
  const filled = filledOf(cells);
  const phone = filled.find((cell) => /^\+(\s?\d){8,}$/.test(cell));
  if (phone !== undefined && !filled.some((cell) => cell.startsWith('-')))
    return `${phone} is taken for no quantity, so that its cells are texts`;
  const article = filled.find((cell) => /e/i.test(cell));
  if (article !== undefined && filled.every((cell) => /^\d+(e\d+)?$/i.test(cell)))
    return `${article} is taken for a name, so that its cells are texts`;
  const [one, other] = versionsIn(filled, mark);
  return one === undefined
    ? undefined
    : `${one} and ${other} are taken for different names, so that its cells are texts`;
}

/** Two texts of one number, such as 1.1 and 1.10, unless all decimals of the column have as many digits. */
function versionsIn(filled: string[], mark: DecimalMark): string[] {
  const decimals = new Set(
    filled.filter((cell) => cell.includes(mark)).map((cell) => cell.length - cell.indexOf(mark)),
  );
  if (decimals.size < 2 || !filled.every((cell) => /^\d{1,3}([.,]\d{1,3})?$/.test(cell))) return [];
  const known = new Map<number, string>();
  for (const cell of filled) {
    const before = known.get(numberOf(cell, mark));
    if (before !== undefined && before !== cell) return [before, cell];
    known.set(numberOf(cell, mark), cell);
  }
  return [];
}

export const isNumber = (cell: string): boolean => marksOf([cell]).length > 0;

/** What people write around numbers, such as signs and units, and what stands behind the hours of a duration. */
const around = /[()%\p{Sc}\s]|−|-$|^\p{L}{1,3}\.?\s|\b\p{L}{1,4}\.?$|(?<=^\d+):\d\d(:\d\d)?$/gu;

const filledOf = (cells: string[]): string[] => cells.map((cell) => cell.trim()).filter((cell) => cell !== '');

/** What says that nothing is known: `NA`, `n/a`, `NULL`, `-`, `..`. */
const gap = /^(#?n\/?a|n\.a\.?|nan|null|none|[^\p{L}\d]+)$/iu;

export const isGap = (cell: string): boolean => cell.trim() === '' || gap.test(cell.trim());

/** A cell that keeps a column from being numbers, most of whose first thousand cells are, besides those that are gaps. */
function otherIn(cells: string[], mark: DecimalMark): string | undefined {
  const filled = filledOf(cells);
  const examined = filled.filter((cell) => !isGap(cell)).slice(0, 1000);
  const bare = examined.map((cell) => cell.replaceAll(around, '').replaceAll(/(?<=\d),(?=\d)/g, ''));
  if (examined.length === 0 || bare.filter(isNumber).length * 2 < examined.length) return undefined;
  return filled.find((cell) => !isNumber(cell)) ?? filled.find((cell) => !shapes[mark].test(cell));
}

function marksOf(cells: string[]): DecimalMark[] {
  const filled = filledOf(cells);
  return filled.length === 0 ? [] : decimalMarks.filter((mark) => filled.every((cell) => shapes[mark].test(cell)));
}

const numberOf = (cell: string, mark: DecimalMark): number =>
  Number(cell.replaceAll(mark === '.' ? /[,\s'’]/g : /[.\s'’]/g, '').replace(',', '.'));
