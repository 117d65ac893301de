import { utils } from '@e965/xlsx';
import { listed } from '../../../util/text/listed.ts';

export interface Formula {
  row: number;
  column: number;
  text: string;
}

/** How many different formulas of a sheet are shown. */
const maxGroups = 40;

/** Formulas in few words: those that are the same but for their place stand once, as `D2:D9 = B2*C2`. */
export function formulasText(formulas: Formula[]): string {
  const groups = Map.groupBy(formulas, relative);
  const shown = [...groups.values()].slice(0, maxGroups).map((group) => {
    const text = group[0]?.text ?? '';
    return `${placesOf(group)} = ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`;
  });
  return [...shown, ...(groups.size > maxGroups ? [`${groups.size - maxGroups} more`] : [])].join('; ');
}

const relative = ({ row, column, text }: Formula): string =>
  text.replaceAll(
    /(\$?)\b([A-Z]{1,3})(\$?)(\d+)\b/g,
    (_, fixed: string, letters: string, fixedRow: string, digits: string) => {
      const across = utils.decode_col(letters) - (fixed === '' ? column : 0);
      return `${fixed}<${across}>${fixedRow}<${Number(digits) - (fixedRow === '' ? row : 0)}>`;
    },
  );

/** The smallest range around cells, and how many they are if they do not fill it. */
function placesOf(cells: Formula[]): string {
  const [top, bottom] = bounds(cells.map(({ row }) => row));
  const [left, right] = bounds(cells.map(({ column }) => column));
  const range = utils.encode_range({ s: { r: top, c: left }, e: { r: bottom, c: right } });
  return cells.length === (bottom - top + 1) * (right - left + 1) ? range : `${range} (${cells.length} cells)`;
}

const bounds = (numbers: number[]): [number, number] =>
  numbers.reduce<[number, number]>(([low, high], each) => [Math.min(low, each), Math.max(high, each)], [Infinity, 0]);

/** A sum of cells that stand above one another, also by the name of a column. */
const columnSum =
  /^(?:SUM|SUBTOTAL|AGGREGATE)\((?:\d+[,;]\s*){0,2}(?:\$?([A-Z]{1,3})\$?(\d+):\$?\1\$?(\d+)|\w*\[[^[\]]+\])\)$/;

/** Says which cells add up those above them, which a sum over their column would count twice; undefined if none does. */
export function sumsNote(formulas: Formula[]): string | undefined {
  const sums = formulas.flatMap(({ column, row, text }) => {
    const [found, letters, first, last] = columnSum.exec(text) ?? [];
    const isOwn = letters === undefined || utils.decode_col(letters) === column;
    return found === undefined || !isOwn || (first !== undefined && first === last)
      ? []
      : [utils.encode_cell({ r: row, c: column })];
  });
  if (sums.length === 0) return undefined;
  return `cells that add up others of their column, which sums would count twice: ${listed(sums, 5)}`;
}
