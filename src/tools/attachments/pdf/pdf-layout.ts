import { figure, isRightToLeft, sameLine, tableText, type Cell, type Line } from './pdf-table.ts';

export interface TextItem {
  str: string;
  /** `[a, b, c, d, x, y]`: how it is turned, and where it begins. */
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
}

/** A line while it is put together. */
interface OpenLine extends Line {
  pieces: Piece[];
}

interface Piece extends Cell {
  /** Whether a space stands before or behind it. */
  isSpaced: boolean;
}

/** From which gap on texts of a line stand apart, in heights of its letters: a space has a quarter of one. */
const gap = 0.9;

/** The same of two figures or single capitals. A space between letters of one width has 0.6 heights. */
const gapOfFigures = 0.65;
const areFigures = new RegExp(`^${figure}(?: ${figure})*$`, 'u');
const startsWithFigure = new RegExp(`^${figure}(?: |$)`, 'u');

/** How far a line of a table may be below the last, in heights. */
const nextLine = 5;

const latin = /\p{Script=Latin}/u;

/** Arabic letters as they look at the beginning, in the middle or at the end of a word. */
const shapes = /[\uFB50-\uFDFF\uFE70-\uFEFC]+/g;

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
  const lines: OpenLine[] = [];
  for (const { hasEOL, height, str: given, transform, width } of items) {
    const [, , , , x = 0, y = 0] = transform;
    let line = lines.at(-1);
    const mark = given.trim() === '' ? '' : indexMark(line, { x, y, height });
    const str = mark + given.replaceAll(shapes, (shaped) => shaped.normalize('NFKC'));
    if (str.trim() !== '') {
      if (line === undefined || (mark === '' && Math.abs(line.y - y) > sameLine * height)) {
        line = lineBefore(lines, { x, y, height });
        if (line === undefined) {
          line = { y, height, text: '', cells: [], pieces: [] };
          lines.push(line);
        } else line.text += ' ';
      }
      const piece = { left: x, right: x + width, text: str.trim(), isSpaced: /^\s|\s$/.test(str) };
      line.pieces.push(piece);
      addCell(line.cells, piece, height);
    } else if (str !== '') line?.pieces.push({ left: x, right: x + width, text: '', isSpaced: true });
    if (line !== undefined) line.text += hasEOL ? `${str} ` : str;
  }
  return lines.map(({ pieces, ...line }) => {
    if (!isRightToLeft(pieces.map(({ text }) => text).join(''))) return { ...line, text: line.text.trim() };
    const cells = cellsFromRight(pieces, line.height);
    return { ...line, text: cells.map(({ text }) => text).join(' '), cells };
  });
}

/** Cells of a line of Hebrew or Arabic. Files have its words in either order, and Latin ones in it run from left to right. */
function cellsFromRight(pieces: Piece[], height: number): Cell[] {
  const sorted = pieces.toSorted((one, other) => one.left - other.left);
  const joined: Piece[] = [];
  for (const [index, { text, ...piece }] of sorted.entries()) {
    if (text === '') continue;
    const last = joined.at(-1);
    const isSpaced = piece.isSpaced || sorted[index + 1]?.text === '';
    if (last !== undefined && latin.test(last.text) && latin.test(text)) {
      addCell(joined, { ...piece, text, isSpaced: false }, height);
      Object.assign(joined.at(-1) ?? {}, { isSpaced });
    }
    // What stands to the right of a number is before it, such as a minus sign.
    else joined.push({ ...piece, text: text.replace(/^([\d.,]*\d)(\s*[-–,.:;])$/, '$2$1').trim(), isSpaced });
  }
  const mirrored = <T extends Cell>(cell: T): T => ({ ...cell, left: -cell.right, right: -cell.left });
  const cells: Cell[] = [];
  for (const piece of joined.toReversed()) addCell(cells, mirrored(piece), height);
  return cells.map((cell) => mirrored(cell));
}

/** The line that goes on behind a cell of twelve lines or fewer: all that came since stands between it and what is added. */
function lineBefore(
  lines: OpenLine[],
  { x, y, height }: { x: number; y: number; height: number },
): OpenLine | undefined {
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

function addCell(cells: Cell[], added: Piece, height: number): void {
  const last = cells.at(-1);
  const space = last === undefined ? Infinity : added.left - last.right;
  if (last === undefined || (isApart(last.text, added.text, Math.abs(space) / height) && !listMark.test(last.text))) {
    cells.push({ ...added });
    return;
  }
  last.text += `${added.isSpaced || space > 0.12 * height ? ' ' : ''}${added.text}`;
  last.right = Math.max(last.right, added.right);
}

const isApart = (one: string, other: string, space: number): boolean =>
  space > gap || (space > gapOfFigures && areFigures.test(one) && startsWithFigure.test(other));
