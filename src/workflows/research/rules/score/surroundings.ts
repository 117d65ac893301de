import type { Piece } from './amounts.ts';
import type { Naming } from './labels.ts';
import { textAt } from './tokens.ts';
import {
  bounds,
  comparing,
  counted,
  following,
  isAspect,
  isViability,
  neutral,
  scoreNouns,
  words,
} from './vocabulary.ts';

const farthest = 40;
const sentenceEnds = words('. ! ? ;');
const prepositions = words('for on in of as');
const comparisons = words('higher more above over better greater up below lower less under fewer beyond');
const meaning = words('means mean would indicates implies signals suggests');
const beforeCompared = words('a an the or equal to of be about score scores');

const isHyphenated = (pieces: Piece[], at: number): boolean =>
  textAt(pieces, at + 1) === '-' && pieces[at + 1]?.glued === true && pieces[at + 2]?.glued === true;

/** What a word alone makes of a number near it. */
function namingBy(pieces: Piece[], at: number): Naming | undefined {
  const word = textAt(pieces, at);
  if (isViability(word)) return 'viability';
  if (isAspect(word) && !isHyphenated(pieces, at)) return 'aspect';
  if (word === 'overall' || word === 'total') return 'whole';
  return scoreNouns.has(word) ? 'score' : undefined;
}

/** What stands behind a number as its name: `65/100 viability`, `7/10 for novelty`, `6/10 overall`. */
export function namingAfter(pieces: Piece[], number: number): Naming | undefined {
  const bracket = textAt(pieces, number + 1) === '(';
  let at = number + (bracket ? 2 : 1);
  if (prepositions.has(textAt(pieces, at))) at += 1;
  while (neutral.has(textAt(pieces, at)) || ['overall', 'technical'].includes(textAt(pieces, at))) {
    if (namingBy(pieces, at) === 'whole' && namingBy(pieces, at + 1) === undefined) break;
    at += 1;
  }
  const naming = namingBy(pieces, at);
  return bracket && textAt(pieces, at + 1) !== ')' && textAt(pieces, at + 2) !== ')' ? undefined : naming;
}

/** Whether a line ends here within a sentence. */
const isWrapped = (pieces: Piece[], at: number): boolean =>
  textAt(pieces, at) === '\n' && pieces[at - 1]?.kind === 'word' && pieces[at + 1]?.kind === 'word';

/**
 * The name in the sentence before a number that is nearest to it; before a comma or `but` only viability counts.
 */
export function namingNear(pieces: Piece[], number: number): Naming | undefined {
  let found: Naming | undefined;
  let crossed = false;
  for (let at = number - 1; at >= 0 && at > number - farthest; at -= 1) {
    const text = textAt(pieces, at);
    if ((pieces[at]?.kind === 'break' && !isWrapped(pieces, at)) || sentenceEnds.has(text)) break;
    if ((text === ',' && textAt(pieces, at + 1) !== 'which') || text === 'but') crossed = true;
    const naming = namingBy(pieces, at);
    if (naming === 'viability') return naming;
    if (naming === 'aspect') return crossed ? found : naming;
    if (!crossed) found ??= naming;
  }
  return found;
}

/** Whether a number, or the name that begins here, is compared with or wished for: `below 51`, `needs a score of 71`. */
export function isCompared(pieces: Piece[], start: number): boolean {
  let at = start - 1;
  while (beforeCompared.has(textAt(pieces, at))) at -= 1;
  return comparing.has(textAt(pieces, at)) && pieces[at]?.kind !== 'break';
}

/** Whether what follows makes the number a bound: `51 or higher`, `51 is the minimum`, `51 means`. */
export function isBound(pieces: Piece[], number: number, article: boolean): boolean {
  const next = textAt(pieces, number + 1);
  if ((next === 'or' || next === 'and') && comparisons.has(textAt(pieces, number + 2))) return true;
  if (article && meaning.has(next)) return true;
  let at = number + 1;
  while (['is', 'being', 'as', 'was', 'the', 'a', '='].includes(textAt(pieces, at))) at += 1;
  return bounds.has(textAt(pieces, at));
}

/** Whether a number may end here, as a score does, or counts something: `3 issues`. `sure`: its name says score. */
export function standsAlone(pieces: Piece[], number: number, sure: boolean): boolean {
  const next = pieces[number + 1];
  if (next === undefined || next.kind === 'break') return true;
  const { text, glued } = next;
  if (next.kind === 'mark') {
    const behind = pieces[number + 2];
    if (text === '→') return behind?.kind !== 'amount';
    return !(text === '-' && glued && behind?.glued === true);
  }
  if (next.kind === 'word') {
    return sure ? !counted.has(text) : following.has(text) || isViability(text) || scoreNouns.has(text);
  }
  return false;
}

/** Whether a number is the first of several that are listed: `70, 60, 55`. */
export function isListed(pieces: Piece[], number: number): boolean {
  const next = pieces[number + 2];
  if (textAt(pieces, number + 1) !== ',' || next?.kind !== 'amount') return false;
  const behind = pieces[number + 3];
  return behind === undefined || behind.kind !== 'word' || behind.text === 'and';
}
