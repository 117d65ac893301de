export interface TextItem {
  str: string;
  /** `[a, b, c, d, x, y]`: how it is turned, and where it begins. */
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
}

/** Where something is on its line. */
interface Span {
  left: number;
  right: number;
}

interface Cell extends Span {
  text: string;
}

interface Line {
  y: number;
  height: number;
  /** All of it as it stands, without regard to columns. */
  text: string;
  cells: Cell[];
}

/** From which gap on texts of a line stand apart, in heights of its letters: a space has a quarter of one. */
const gap = 0.9;

/** How far the bases of texts of one line may be apart, and how far a line of a table may be below the last, in heights. */
const sameLine = 0.4;
const nextLine = 5;

const listMark = /^([•◦▪–*-]|\(?\w{1,3}[.)])$/;

/**
 * The text of a page: lines as they stand in the file, and tables with bars between their columns, also where cells are empty.
 * A table is where lines behind one another have texts that stand apart.
 */
export function pageText(items: TextItem[]): string {
  const blocks: Line[][] = [];
  for (const line of linesOf(upright(items))) {
    const block = blocks.at(-1) ?? [];
    const isTable = block.every(({ cells }) => cells.length > 1) || block.length > 1;
    const isBelow = (block.at(-1)?.y ?? 0) - line.y < nextLine * line.height;
    if (block.length > 0 && isTable && isBelow && (line.cells.length > 1 || block.length > 1)) block.push(line);
    else blocks.push([line]);
  }
  return blocks.map((block) => (block.length > 1 ? tableText(block) : block[0]?.text)).join('\n');
}

/** Where a place is on a page that is turned so that text runs to the right which ran there, above, to the left, or below. */
const turns: Array<(x: number, y: number) => [x: number, y: number]> = [
  (x, y) => [x, y],
  (x, y) => [y, -x],
  (x, y) => [-x, -y],
  (x, y) => [-y, x],
];

/** A page turned so that most of its texts run from left to right: tables of many columns often lie on their sides. */
function upright(items: TextItem[]): TextItem[] {
  const counts = [0, 0, 0, 0];
  for (const { str, transform } of items) {
    const [a = 1, b = 0] = transform;
    const direction = Math.abs(b) > Math.abs(a) ? (b > 0 ? 1 : 3) : a < 0 ? 2 : 0;
    if (str.trim() !== '') counts[direction] = (counts[direction] ?? 0) + 1;
  }
  const turn = turns[counts.indexOf(Math.max(...counts))];
  if (turn === undefined || turn === turns[0]) return items;
  return items.map((item) => {
    const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform;
    return { ...item, transform: [...turn(a, b), ...turn(c, d), ...turn(x, y)] };
  });
}

/** Lines in the order of the file, in which the columns of a page mostly stand behind one another. */
function linesOf(items: TextItem[]): Line[] {
  const lines: Line[] = [];
  for (const { hasEOL, height, str: given, transform, width } of items) {
    const [, , , , x = 0, y = 0] = transform;
    let line = lines.at(-1);
    const mark = given.trim() === '' ? '' : indexMark(line, { x, y, height });
    const str = mark + given;
    if (str.trim() !== '') {
      if (line === undefined || (mark === '' && Math.abs(line.y - y) > sameLine * height)) {
        line = lineBefore(lines, { x, y, height });
        if (line === undefined) {
          line = { y, height, text: '', cells: [] };
          lines.push(line);
        } else line.text += ' ';
      }
      addCell(line.cells, { left: x, right: x + width, text: str.trim() }, height, /^\s|\s$/.test(str));
    }
    if (line !== undefined) line.text += hasEOL ? `${str} ` : str;
  }
  return lines.map((line) => ({ ...line, text: line.text.trim() }));
}

/** The line that goes on behind a cell of twelve lines or fewer: all that came since stands between it and what is added. */
function lineBefore(lines: Line[], { x, y, height }: { x: number; y: number; height: number }): Line | undefined {
  let left = x;
  for (const line of lines.slice(-12).toReversed()) {
    const [first] = line.cells;
    const last = line.cells.at(-1);
    if (first === undefined || last === undefined || last.right >= x) return undefined;
    if (last.right < left && Math.abs(line.y - y) <= sameLine * height) return left === x ? undefined : line;
    left = Math.min(left, first.left);
  }
  return undefined;
}

/** What stands for the place of smaller letters above or below the end of a line: `10^6`, `H_2`; empty for others. */
function indexMark(line: Line | undefined, { x, y, height }: { x: number; y: number; height: number }): string {
  const end = line?.cells.at(-1)?.right;
  if (line === undefined || end === undefined || height > 0.9 * line.height) return '';
  const rise = (y - line.y) / line.height;
  const isBeside = Math.abs(x - end) < sameLine * line.height;
  return !isBeside || Math.abs(rise) < 0.1 || Math.abs(rise) > 0.7 ? '' : rise > 0 ? '^' : '_';
}

function addCell(cells: Cell[], added: Cell, height: number, isSpaced: boolean): void {
  const last = cells.at(-1);
  const space = last === undefined ? Infinity : added.left - last.right;
  if (last === undefined || (Math.abs(space) > gap * height && !listMark.test(last.text))) {
    cells.push(added);
    return;
  }
  last.text += `${isSpaced || space > 0.12 * height ? ' ' : ''}${added.text}`;
  last.right = Math.max(last.right, added.right);
}

function tableText(block: Line[]): string {
  const rows: Line[] = [];
  for (const line of block.toSorted((one, other) => other.y - one.y)) {
    const last = rows.at(-1);
    if (last !== undefined && Math.abs(last.y - line.y) <= sameLine * line.height) last.cells.push(...line.cells);
    else rows.push({ ...line, cells: [...line.cells] });
  }
  const columns = columnsOf(rows.map(({ cells }) => cells));
  const lines = rows.map(({ cells }) => {
    const texts = columns.map(() => '');
    const placed = (cell: Cell): Span[][] => columns.filter((spans) => spans.some((span) => overlaps(span, cell)));
    const [only] = cells;
    // A title of the table, or a sentence below it.
    if (only !== undefined && cells.length === 1 && isAcross(only, placed(only))) return only.text;
    for (const cell of cells.toSorted((one, other) => one.left - other.left)) {
      const at = columns.indexOf(placed(cell)[0] ?? []);
      texts[at] = `${texts[at] ?? ''} ${cell.text}`.trim();
    }
    return texts.join(' | ').replace(/[ |]+$/, '');
  });
  return lines.join('\n');
}

const isAcross = ({ left }: Cell, [first, ...others]: Span[][]): boolean =>
  others.length > 0 || (first?.every((span) => left < span.left - 1) ?? true);

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
