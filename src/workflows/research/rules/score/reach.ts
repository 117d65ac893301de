import type { Piece } from './amounts.ts';
import { textAt } from './tokens.ts';
import { counters, words } from './vocabulary.ts';

/** The words around a number, in their order. */
export interface Reach {
  /** Before it in its clause, and of these what stands behind a colon. */
  clause: string[];
  behindColon: string[];
  /** Before it in its sentence. */
  sentence: string[];
  /** Right behind it. */
  ahead: string[];
}

const farthest = 40;
const farthestAhead = 8;
const clauseEnds = words(', but and – — |');
const sentenceEnds = words('. ! ? ;');

/** @param label index of the last piece of the number's name, which the end of a line may part from it; -1: no name */
export function reachOf(pieces: Piece[], number: number, label: number): Reach {
  const reach: Reach = { clause: [], behindColon: [], sentence: [], ahead: [] };
  let clause = true;
  let colon = false;
  let depth = 0;
  for (let at = number - 1; at >= 0 && at > number - farthest; at -= 1) {
    const { kind, text } = pieces[at]!;
    if (text === ')') depth += 1;
    else if (text === '(' && depth > 0) depth -= 1;
    else if (depth === 0) {
      if (sentenceEnds.has(text) || (kind === 'break' && at < label)) break;
      const named = label >= 0 && at > label;
      const other = kind === 'amount' && !counters.has(textAt(pieces, at - 1));
      if (other || text === '(' || (clauseEnds.has(text) && !named)) clause = false;
      if (text === ':') colon = true;
      reach.sentence.unshift(text);
      if (clause) reach.clause.unshift(text);
      if (clause && !colon) reach.behindColon.unshift(text);
    }
  }
  for (let at = number + 1; at < number + farthestAhead && pieces[at]?.kind === 'word'; at += 1) {
    reach.ahead.push(textAt(pieces, at));
  }
  return reach;
}
