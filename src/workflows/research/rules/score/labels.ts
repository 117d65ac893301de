import type { Piece } from './amounts.ts';
import { textAt } from './tokens.ts';
import { openingOf, linkOf } from './links.ts';
import { bounds, isAspect, isViability, joints, neutral, scoreNouns, wholeNouns, words } from './vocabulary.ts';

/**
 * What a number is the score of. `score`: a score without further name; `whole`: of the whole; `aspect`: of one aspect;
 * `bound`: a threshold or weight; `none`: its name says nothing.
 */
export type Naming = 'viability' | 'whole' | 'score' | 'aspect' | 'bound' | 'none';

export interface Label {
  naming: Naming;
  /** Whether its name says that it is a score, so that what follows the number matters less. */
  strong: boolean;
  /** Whether the name can be that of a bare number: `viability concerns: 3` is none. */
  names: boolean;
  /** Index of the first piece of the name, and of the last. */
  from: number;
  to: number;
  /** The scale that stands beside the name: `Viability score (0-10): 7`. */
  base: number | undefined;
  /** Whether a line ends between name and number. */
  broken: boolean;
  /** Whether a comma stands between, and no colon. */
  apart: boolean;
}

const nearest = 40;
const longestName = 8;
const determiners = words('the a an my our its this that your');
const prepositions = words('of for in and');
const times = words('before after now here today');
const keys = words('aspect name criterion dimension category metric');
const nameMarks = words('( { : - – —');

/** The words of the name that ends here, and the index of the first. */
function nameBefore(pieces: Piece[], to: number): { name: string[]; from: number } {
  const name: string[] = [];
  let from = to + 1;
  for (let at = to; name.length < longestName && at >= 0 && at > to - nearest; at -= 1) {
    const { kind, text, glued } = pieces[at]!;
    if (kind === 'word' && !joints.has(text)) {
      if (determiners.has(name[0] ?? '') && !prepositions.has(text)) break;
      name.unshift(text);
      from = at;
    } else if (text === '/' || text === '&') name.unshift('and');
    else if (text === ')') {
      const open = openingOf(pieces, at);
      if (open === undefined) break;
      at = open;
    } else if (nameMarks.has(text) && !(text === '-' && glued)) {
      // `Novelty (score: 60)`, `"viability": {"score": 62}`
      const owner = textAt(pieces, at - 1) === ':' ? at - 2 : at - 1;
      const word = textAt(pieces, scoreNouns.has(textAt(pieces, owner)) ? owner - 1 : owner);
      if (isViability(word) || isAspect(word) || bounds.has(word)) name.unshift(word);
      break;
    } else if (text === ',' && keys.has(textAt(pieces, at - 3))) {
      // `{"aspect": "viability", "score": 62}`
      name.unshift(textAt(pieces, at - 1));
      break;
    } else if (text !== '-') break;
  }
  return { name, from };
}

const isPlain = (word: string): boolean => neutral.has(word) || wholeNouns.has(word) || scoreNouns.has(word);

/** What a name says. `rest`: the word behind it, as far as it belongs to it. */
function namingOf(name: string[], rest: string, colon: boolean): Pick<Label, 'naming' | 'names' | 'strong'> {
  const strong = name.some((word) => scoreNouns.has(word));
  const is = (naming: Naming, names = true) => ({ naming, names, strong });
  if (name.some((word) => bounds.has(word))) return is('bound');
  const viability = name.findIndex(isViability);
  const tail = name.slice(viability + 1);
  const length = tail.findIndex((word) => prepositions.has(word) || times.has(word));
  const head = length < 0 ? tail : tail.slice(0, length);
  const last = head.at(-1) ?? '';
  if (viability >= 0) {
    if (isAspect(name[viability - 1] ?? '') || isAspect(last)) return is('aspect');
    return is('viability', last === '' || last === 'value' || isPlain(last));
  }
  if (name.some(isAspect)) return is('aspect');
  const end = name.at(-1) ?? '';
  if (!scoreNouns.has(last) && !wholeNouns.has(last)) {
    const other = name.length > 0 && name.length <= 3 && !name.every((word) => isPlain(word) || word.endsWith('ly'));
    return is(colon && other ? 'aspect' : 'none');
  }
  if (!head.every(isPlain) || !(isPlain(end) || isPlain(rest))) return is('aspect');
  return is(head.some((word) => wholeNouns.has(word)) ? 'whole' : 'score');
}

/** The name that is tied to a number before it: `Viability score (0-100): 72`, `I rate its viability at 40`. */
export function labelOf(pieces: Piece[], number: number): Label | undefined {
  const link = linkOf(pieces, number);
  if (link === undefined) return undefined;
  const { at, base, broken, verb, colon, comma } = link;
  const { name, from } = nameBefore(pieces, at);
  const found = namingOf(name, textAt(pieces, at + 1), colon);
  const counted = pieces[at]?.kind === 'amount';
  const given = verb && (found.naming === 'none' || name.length === 0);
  const naming = given || counted ? 'score' : found.naming;
  return {
    ...found,
    naming,
    strong: found.strong && !given,
    from,
    to: at,
    base,
    broken,
    apart: comma && !colon,
  };
}
