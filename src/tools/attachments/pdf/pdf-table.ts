/** Where something is on its line. */
export interface Span {
  left: number;
  right: number;
}

export interface Cell extends Span {
  text: string;
}

export interface Line {
  y: number;
  height: number;
  /** All of it as it stands, without regard to columns. */
  text: string;
  cells: Cell[];
}

/** How far the bases of texts of one line may be apart, in heights. */
export const sameLine = 0.4;

/** A number or a single capital. */
export const figure = String.raw`(?:[-+(]?[.,]?\d(?:[\d.,]*\d)?[%)]?|\p{Lu})`;

/** What stands in a cell of figures: `(12.5)`, `1 234`, `A`, `–`, `*`. The dots that lead to a column are none. */
const isValue = (text: string): boolean =>
  /^(?:\p{Lu}|(?!\.+$)[^\p{L}\s]+)$/u.test(text.replaceAll(/(?<=\d) (?=\d{3})/g, ''));

/** Words of a cell, where `12 345 678` is one. */
const words = /[-+(]?\d{1,3}(?: \d{3})+(?!\d)[\d.,%)]*|\S+/g;

/** A cell with the numbers of the columns in which it stands. */
interface PlacedCell extends Cell {
  at: number[];
}

interface PlacedRow {
  height: number;
  cells: PlacedCell[];
}

interface Table {
  rows: PlacedRow[];
  columns: Span[][];
  /** The cells that stand in one column alone, of each. */
  alone: Cell[][];
  /** Whether `- 5` may be a number, since others are written `+5`. */
  hasSigns: boolean;
}

export function isRightToLeft(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return (
    letters.filter((letter) => /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/.test(letter)).length * 2 > letters.length
  );
}

/** A row for each line with bars between the columns, and a note where values may stand in the column beside theirs. */
export function tableText(block: Line[]): string {
  const lines = rowsOf(block);
  const table = placed(lines);
  const isLeftwards = isRightToLeft(lines.flatMap(({ cells }) => cells.map(({ text }) => text)).join(''));
  let isUnsure = false;
  const texts = table.rows.map((row, index) => {
    const headings = index === 0 ? headingsOf(row, table) : undefined;
    const parts = headings ?? row.cells.flatMap((cell) => valuesOf(cell, row, table) ?? [cell]);
    const [only] = parts;
    // A title of the table, or a sentence below it.
    if (only !== undefined && parts.length === 1 && isAcross(only, table.columns)) return only.text;
    isUnsure ||= parts.some(({ at, text }) => at.length > 1 && /\s/.test(text) && !/\p{L}/u.test(text));
    return rowText(parts, table.columns.length, isLeftwards);
  });
  return [...texts, ...(isUnsure ? ['[a cell of this table may hold values of several columns]'] : [])].join('\n');
}

function placed(lines: Line[]): Table {
  const columns = columnsOf(lines.map(({ cells }) => cells));
  const rows = lines.map(({ cells, height }) => ({
    height,
    cells: cells.map((cell) => ({
      ...cell,
      at: [...columns.keys()].filter((at) => columns[at]?.some((span) => overlaps(span, cell))),
    })),
  }));
  const cells = rows.flatMap((row) => row.cells);
  const alone = columns.map((_, column) => cells.filter(({ at }) => at.length === 1 && at[0] === column));
  return { rows, columns, alone, hasSigns: cells.some(({ text }) => /^\+ ?\d/.test(text)) };
}

function rowsOf(block: Line[]): Line[] {
  const rows: Line[] = [];
  for (const line of block.toSorted((one, other) => other.y - one.y)) {
    const last = rows.at(-1);
    if (last !== undefined && Math.abs(last.y - line.y) <= sameLine * line.height) last.cells.push(...line.cells);
    else rows.push({ ...line, cells: [...line.cells] });
  }
  return rows;
}

/** The columns of Hebrew and Arabic tables begin on the right. */
function rowText(cells: PlacedCell[], count: number, isLeftwards: boolean): string {
  const texts = Array.from({ length: count }, () => '');
  const inOrder = cells.toSorted((one, other) => (isLeftwards ? other.right - one.right : one.left - other.left));
  for (const { at, text } of inOrder) {
    const [column = 0] = at;
    texts[column] = `${texts[column] ?? ''} ${text}`.trim();
  }
  return (isLeftwards ? texts.toReversed() : texts).join(' | ').replace(/[ |]+$/, '');
}

const isAcross = ({ at, left }: PlacedCell, columns: Span[][]): boolean =>
  at.length > 1 || (columns[at[0] ?? -1]?.every((span) => left < span.left - 1) ?? true);

/** The headings of a first row, if each column has one once each word of a wide one stands in a column of its own. */
function headingsOf({ cells }: PlacedRow, { alone, columns, rows }: Table): PlacedCell[] | undefined {
  // A heading over several columns stands above headings again, of which the first column has none.
  if (cells.length < 2 || !rows[1]?.cells.some(({ at }) => at.includes(0))) return undefined;
  const parts = cells.flatMap((cell) => {
    const found = partsOf(cell, columns) ?? [];
    const areWords = found.length > 0 && found.every(({ text }) => !/\s/.test(text));
    return areWords && found.slice(1).every(({ at }) => isOfValues(alone, at)) ? found : [cell];
  });
  const named = new Set(parts.map(({ at }) => at[0]));
  return parts.length === columns.length && named.size === columns.length ? parts : undefined;
}

/** The values in a cell of several columns, if its figures stand where others of their columns do. */
function valuesOf(cell: PlacedCell, row: PlacedRow, table: Table): PlacedCell[] | undefined {
  const parts = partsOf(cell, table.columns);
  const isTaken = row.cells.some(({ at }) => at.length === 1 && cell.at.includes(at[0] ?? -1));
  if (parts === undefined || isTaken || (table.hasSigns && /^[-–] ?\d/.test(cell.text))) return undefined;
  const areValues = parts.every(({ text }) => isValue(text));
  const hasNumber = parts.some(({ text }) => isValue(text) && /\d/.test(text));
  if (!areValues && (!hasNumber || row.cells.length === 1)) return undefined;
  const isInPlace = (part: PlacedCell): boolean =>
    (table.alone[part.at[0] ?? -1] ?? []).some((other) => isAligned(part, other, row.height / 2));
  const isSure = parts.every((part) => !isOfValues(table.alone, part.at) || (isValue(part.text) && isInPlace(part)));
  return isSure && parts.some((part) => isInPlace(part)) ? parts : undefined;
}

function isOfValues(alone: Cell[][], [column = -1]: number[]): boolean {
  const known = alone[column] ?? [];
  return known.filter(({ text }) => isValue(text)).length * 2 > known.length;
}

const isAligned = (one: Span, other: Span, most: number): boolean => {
  const [left, right] = [Math.abs(one.left - other.left), Math.abs(one.right - other.right)];
  return Math.min(left, right, Math.abs(one.left + one.right - other.left - other.right) / 2) < most;
};

/** The words of a cell that stands in several columns, each in the nearest of them, if all have some. */
function partsOf(cell: PlacedCell, columns: Span[][]): PlacedCell[] | undefined {
  if (cell.at.length < 2 || isRightToLeft(cell.text)) return undefined;
  const step = (cell.right - cell.left) / cell.text.length;
  const parts = new Map<number, PlacedCell>();
  for (const { 0: text, index } of cell.text.matchAll(words)) {
    const left = cell.left + index * step;
    const right = left + text.length * step;
    const away = cell.at.map((at) => distance((left + right) / 2, columns[at] ?? []));
    const column = cell.at[away.indexOf(Math.min(...away))] ?? 0;
    const known = parts.get(column);
    parts.set(
      column,
      known === undefined ? { left, right, text, at: [column] } : { ...known, right, text: `${known.text} ${text}` },
    );
  }
  return parts.size === cell.at.length ? [...parts.values()] : undefined;
}

const distance = (place: number, spans: Span[]): number =>
  Math.min(...spans.map(({ left, right }) => Math.max(0, left - place, place - right)));

const overlaps = (one: Span, other: Span): boolean => one.left <= other.right && other.left <= one.right;

/**
 * The columns of a table, each as the places where its cells are. Numbers to the right and a heading to the left of a column do
 * not overlap, so what never stands on one line may be one column: the fewest columns are right, and of these the narrowest.
 */
function columnsOf(rows: Cell[][]): Span[][] {
  const spans: Array<Span & { rows: Set<number> }> = [];
  // A heading over several columns says nothing about them, and is on a line with fewer cells.
  const order = [...rows.keys()].toSorted((one, other) => (rows[other]?.length ?? 0) - (rows[one]?.length ?? 0));
  for (const row of order) {
    for (const { left, right } of rows[row] ?? []) {
      const hit = spans.filter((span) => overlaps(span, { left, right }));
      const [only] = hit;
      if (only === undefined) spans.push({ left, right, rows: new Set([row]) });
      else if (hit.length === 1 && (rows[row]?.length ?? 0) > 1) {
        only.rows.add(row);
        const wider = { left: Math.min(only.left, left), right: Math.max(only.right, right) };
        if (spans.filter((span) => overlaps(span, wider)).length === 1) Object.assign(only, wider);
      }
    }
  }
  spans.sort((one, other) => one.left - other.left);
  /** For the first spans of each number: the fewest columns, how wide the gaps in them are, and where the last begins. */
  const best: Array<{ count: number; gaps: number; from: number }> = [{ count: 0, gaps: 0, from: 0 }];
  for (let end = 1; end <= spans.length; end++) {
    let gaps = 0;
    const taken = new Set<number>();
    for (let from = end - 1; from >= 0; from--) {
      const span = spans[from];
      const before = best[from];
      if (span === undefined || before === undefined || [...span.rows].some((row) => taken.has(row))) break;
      for (const row of span.rows) taken.add(row);
      if (from < end - 1) gaps += (spans[from + 1]?.left ?? 0) - span.right;
      const found = { count: before.count + 1, gaps: before.gaps + gaps, from };
      const known = best[end];
      if (known === undefined || found.count < known.count || (found.count === known.count && found.gaps < known.gaps))
        best[end] = found;
    }
  }
  const columns: Span[][] = [];
  for (let end = spans.length; end > 0; end = best[end]?.from ?? 0) columns.unshift(spans.slice(best[end]?.from, end));
  return columns;
}
