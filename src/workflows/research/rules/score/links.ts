import type { Piece } from './amounts.ts';
import { textAt } from './tokens.ts';
import { counters, fillerMarks, fillers, givingVerbs, judgements, scoreNouns, words } from './vocabulary.ts';

const nearest = 40;
const linking = words(': = - – — → is of at was');
const equating = words(': = is was');
const sums = words('= ≈ →');
const operators = words('+ × / = ≈ - ( ) , [ ]');

/** Index of the bracket that opens the group which is closed here. */
export function openingOf(pieces: Piece[], at: number): number | undefined {
  const open = textAt(pieces, at) === ')' ? '(' : '[';
  for (let index = at - 1; index >= 0 && index > at - nearest; index -= 1) {
    if (textAt(pieces, index) === open) return index;
    if (pieces[index]?.kind === 'break') return undefined;
  }
  return undefined;
}

const baseWithin = (pieces: Piece[]): number | undefined => pieces.find((piece) => piece.kind === 'scale')?.base;

/** What leads from a number back to its name. */
export interface Link {
  /** Index of the last piece of what may be a name. */
  at: number;
  base: number | undefined;
  broken: boolean;
  /** A verb by which the number is given stands between: `I give it 65`. */
  verb: boolean;
  /** Whether a colon or the like stands between. */
  colon: boolean;
  comma: boolean;
}

/** Index before a sum that ends in this number: `0.3 × 70 + 0.2 × 50 = 31`. */
function beforeSum(pieces: Piece[], at: number): number {
  if (!sums.has(textAt(pieces, at))) return at;
  let index = at - 1;
  if (pieces[index]?.kind !== 'amount' && textAt(pieces, index) !== ')') return at;
  while (
    index > at - nearest &&
    (['amount', 'scale'].includes(pieces[index]?.kind ?? '') || operators.has(textAt(pieces, index)))
  ) {
    index -= 1;
  }
  return index + 1;
}

/** Steps back over all that may stand between a name and its number; undefined: no name is tied to it. */
export function linkOf(pieces: Piece[], number: number): Link | undefined {
  const link: Link = {
    at: number - 1,
    base: undefined,
    broken: false,
    verb: false,
    colon: false,
    comma: false,
  };
  let judged = false;
  let equated = false;
  for (const end = number - nearest; link.at >= 0 && link.at > end; link.at -= 1) {
    const piece = pieces[link.at]!;
    const { text, kind } = piece;
    if (linking.has(text)) judged = false;
    // `I rate it 65`, but `the success rate is 65`.
    equated ||= equating.has(text);
    if (kind === 'scale') link.base ??= piece.base;
    else if (kind === 'amount') {
      if (text !== 'one') return link.verb || counters.has(textAt(pieces, link.at - 1)) ? link : undefined;
    } else if (kind === 'break') {
      if (link.broken || link.verb) return link.verb ? link : undefined;
      link.broken = true;
    } else if (text === ')' || text === ']') {
      const open = openingOf(pieces, link.at);
      if (open === undefined) return undefined;
      link.base ??= baseWithin(pieces.slice(open, link.at));
      link.at = open;
    } else if (kind === 'mark') {
      if (!fillerMarks.has(text) || (link.verb && text === ',')) return link.verb ? link : undefined;
      if (text === '[' && !linking.has(textAt(pieces, link.at - 1))) return undefined;
      if (text === ':' || text === '=') link.colon = true;
      if (text === ',') link.comma = true;
      link.at = beforeSum(pieces, link.at);
    } else if (scoreNouns.has(text)) return judged ? undefined : link;
    else if (givingVerbs.has(text) && !(text === 'rate' && equated)) link.verb = true;
    else if (judgements.has(text)) judged = true;
    else if (!fillers.has(text)) return judged ? undefined : link;
  }
  return link.verb ? link : undefined;
}
