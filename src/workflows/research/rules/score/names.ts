import type { Amount, Piece } from './amounts.ts';
import { labelOf, type Label, type Naming } from './labels.ts';
import { namingAfter, namingNear, standsAlone } from './surroundings.ts';
import { textAt } from './tokens.ts';
import { counters, isViability, scoreNouns, words } from './vocabulary.ts';

/** What a number is the score of. */
export interface Name {
  naming: Naming;
  /** The name before it, where one is tied to it. */
  label: Label | undefined;
}

const beforeNow = words("is at it it's stands a about to up down");
const becoming = words('now revised adjusted corrected updated changed');
const nearest = 8;

/** Where the number stands that has become this one: `45 → 62`, `from 45 to 62`. */
function formerOf(pieces: Piece[], at: number): number | undefined {
  const before = textAt(pieces, at - 1);
  if (before === '→' && pieces[at - 2]?.kind === 'amount') return at - 2;
  return before === 'to' && textAt(pieces, at - 3) === 'from' ? at - 3 : undefined;
}

/** The same where a word says so: `it was 45, now 62`, `it was 45 and is 62 now`, `45, revised to 62`. */
function formerByWord(pieces: Piece[], at: number): number | undefined {
  let now = at - 1;
  while (beforeNow.has(textAt(pieces, now))) now -= 1;
  if (!becoming.has(textAt(pieces, now)) && textAt(pieces, at + 1) !== 'now') return undefined;
  for (let index = now - 1; index >= now - nearest && pieces[index]?.kind !== 'break'; index -= 1) {
    if (pieces[index]?.kind === 'amount' && !counters.has(textAt(pieces, index - 1))) return index;
  }
  return undefined;
}

/** The labels of the numbers of a text, to be asked for in their order. `former`: where a number stands that has become it. */
export function labelling(pieces: Piece[]): (at: number) => { label: Label | undefined; former: number | undefined } {
  const labels = new Map<number, Label | undefined>();
  const known = (at: number): Label | undefined => (labels.has(at) ? labels.get(at) : labelOf(pieces, at));
  return (at) => {
    let former = formerOf(pieces, at);
    let label = known(former ?? at);
    if (former === undefined && (label === undefined || label.naming === 'none')) {
      former = formerByWord(pieces, at);
      if (former !== undefined) label = known(former);
    }
    labels.set(at, label);
    return { label, former };
  };
}

/** What names a number to which no name is tied, as far as its form lets it be a score at all. */
function namingAround(pieces: Piece[], at: number, { form, base }: Amount): Naming | undefined {
  if (form === 'fraction') {
    if ((base !== 10 && base !== 100) || textAt(pieces, at - 1) === 'on') return undefined;
    return namingAfter(pieces, at) ?? namingNear(pieces, at) ?? 'none';
  }
  if (!isViability(textAt(pieces, at + 1))) return undefined;
  return form === 'percent' || scoreNouns.has(textAt(pieces, at + 2)) ? 'viability' : undefined;
}

/** What a number is the score of; undefined: it is no score. */
export function nameOf(pieces: Piece[], at: number, amount: Amount, label: Label | undefined): Name | undefined {
  if (label?.naming === 'bound') return undefined;
  const tied = label !== undefined && label.naming !== 'none' && (label.names || amount.form === 'fraction');
  if (!tied) {
    const naming = standsAlone(pieces, at, false) ? namingAround(pieces, at, amount) : undefined;
    return naming && { naming, label: undefined };
  }
  const after = label.naming === 'score' || label.apart ? namingAfter(pieces, at) : undefined;
  if (after === undefined && !standsAlone(pieces, at, label.strong && !label.broken)) return undefined;
  return { naming: after ?? label.naming, label };
}
