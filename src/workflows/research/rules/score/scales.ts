import { isNumber, textAt, type Taken, type Token } from './tokens.ts';

/** A scale that the text names, such as `out of 10`, `/100`, `0-100`, `on a scale of 1 to 10`. */
export interface Scale {
  kind: 'scale';
  text: string;
  glued: boolean;
  base: number;
  /** `named` by the word scale, so that it may hold for what follows; `range`: by its two ends. */
  form: 'named' | 'range' | 'fraction';
}

const usualBases = new Set([5, 10, 100]);
const units = new Set(['point', 'points', 'pt', 'pts', 'star', 'stars', 'marks']);
const percents = new Set(['%', 'percent', 'pct']);
const rangeSigns = new Set(['-', '–', '—', 'to', 'through', 'or']);
const afterScale = new Set(['of', 'from', ':', 'is', 'between', '(']);
const afterOutOf = new Set(['a', 'an', 'the', 'of', 'possible', 'total', 'maximum']);
const ofElsewhere = new Set(['of', 'von', 'sur', 'su', 'de', 'sobre']);

/** How many pieces of a unit stand here: none or one. */
export const unitAt = (tokens: Token[], at: number): number => (units.has(textAt(tokens, at)) ? 1 : 0);

export const percentAt = (tokens: Token[], at: number): number => {
  if (textAt(tokens, at) === 'per' && textAt(tokens, at + 1) === 'cent') return 2;
  return percents.has(textAt(tokens, at)) ? 1 : 0;
};

/** The ends of a range that begins here: `31-50`, `1 to 10`, `51/100-70/100`, `between 60 and 70`. */
export function rangeAt(tokens: Token[], at: number): Taken<{ from: number; to: number }> | undefined {
  const first = tokens[at];
  if (!isNumber(first)) return undefined;
  const base = textAt(tokens, at + 1) === '/' && isNumber(tokens[at + 2]) ? 2 : 0;
  const middle = at + 1 + base + percentAt(tokens, at + 1 + base);
  const last = tokens[middle + 1];
  if (!isNumber(last)) return undefined;
  const sign = textAt(tokens, middle);
  if (!rangeSigns.has(sign) && !(sign === 'and' && textAt(tokens, at - 1) === 'between')) return undefined;
  // `65 - 3 concerns remain` is a score and a remark.
  if (tokens[middle]?.kind === 'mark' && !last.glued && last.value < first.value) return undefined;
  return { taken: { from: first.value, to: last.value }, end: middle + 2 };
}

const scale = (base: number, form: Scale['form'], end: number): Taken<Scale> => ({
  taken: { kind: 'scale', text: '', glued: false, base, form },
  end,
});

function rangeScaleAt(tokens: Token[], at: number, form: 'named' | 'range'): Taken<Scale> | undefined {
  const range = rangeAt(tokens, at);
  if (range === undefined || range.taken.from < 0 || range.taken.from > 1) return undefined;
  const { to } = range.taken;
  return (form === 'named' && to >= 1) || usualBases.has(to) ? scale(to, form, range.end) : undefined;
}

function namedScaleAt(tokens: Token[], at: number): Taken<Scale> | undefined {
  const first = tokens[at];
  if (isNumber(first)) {
    const unit = textAt(tokens, at + 1) === '-' ? at + 2 : at + 1;
    const named = unitAt(tokens, unit) > 0 && textAt(tokens, unit + 1) === 'scale';
    return named ? scale(first.value, 'named', unit + 2) : undefined;
  }
  if (textAt(tokens, at) !== 'scale') return undefined;
  let next = at + 1;
  while (afterScale.has(textAt(tokens, next))) next += 1;
  const range = rangeScaleAt(tokens, next, 'named');
  if (range !== undefined) return range;
  const top = tokens[next];
  return isNumber(top) && usualBases.has(top.value) ? scale(top.value, 'named', next + 1) : undefined;
}

function fractionScaleAt(tokens: Token[], at: number): Taken<Scale> | undefined {
  const sign = textAt(tokens, at);
  let next = at + 1;
  if (sign === 'out' && textAt(tokens, next) === 'of') {
    while (!isNumber(tokens[next]) && afterOutOf.has(textAt(tokens, next))) next += 1;
  } else if (sign !== '/') {
    const behindNumber = isNumber(tokens[at - 1]) || unitAt(tokens, at - 1) > 0;
    const usual = [10, 100].includes(tokens[next]?.value ?? 0);
    if (!ofElsewhere.has(sign) || !behindNumber || !usual) return undefined;
  }
  const base = tokens[next];
  return isNumber(base) ? scale(base.value, 'fraction', next + 1) : undefined;
}

/** The scale that begins here. */
export const scaleAt = (tokens: Token[], at: number): Taken<Scale> | undefined =>
  namedScaleAt(tokens, at) ?? rangeScaleAt(tokens, at, 'range') ?? fractionScaleAt(tokens, at);
