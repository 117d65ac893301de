/** A column as SQLite gets it: numbers if all filled cells are numbers, otherwise texts. An empty cell is null. */
interface TypedColumn {
  type: 'REAL' | 'TEXT';
  values: Array<number | string | null>;
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

/** Types a column as a whole. A single cell that is not a number, or is one in another notation, makes it texts. */
export function typedColumn(cells: string[]): TypedColumn {
  const trimmed = cells.map((cell) => cell.trim());
  const filled = trimmed.filter((cell) => cell !== '');
  const mark = (['.', ','] as const).find((each) => filled.every((cell) => shapes[each].test(cell)));
  if (mark === undefined || filled.length === 0) {
    return { type: 'TEXT', values: cells.map((cell) => (cell === '' ? null : cell)) };
  }
  const separators = mark === '.' ? /[,\s'’]/g : /[.\s'’]/g;
  const values = trimmed.map((cell) =>
    cell === '' ? null : Number(cell.replaceAll(separators, '').replace(',', '.')),
  );
  return { type: 'REAL', values };
}
