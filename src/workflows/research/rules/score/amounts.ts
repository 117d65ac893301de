import { percentAt, rangeAt, scaleAt, unitAt, type Scale } from './scales.ts';
import { isNumber, textAt, type Taken, type Token } from './tokens.ts';
import { changes, counters } from './vocabulary.ts';

/** A number of the text with all that belongs to it, such as `65`, `65%`, `7.5/10`, `51-70`. */
export interface Amount {
  kind: 'amount';
  text: string;
  glued: boolean;
  value: number;
  /** What it is a fraction of, where it says so; a percentage is one of 100. */
  base: number | undefined;
  form: 'bare' | 'percent' | 'fraction';
  /** False for what is never a score: ranges, dates, versions, negative numbers, money, terms of a sum. */
  sound: boolean;
}

export type Piece = (Token & { kind: 'word' | 'mark' | 'break' }) | Scale | Amount;

const before = new Set(['$', '€', '£', '¥', '±', '+', '×', '^', 'v', 'x']);
const after = new Set(['$', '€', '£', '¥', '×', '^', 'x']);

/** A hyphen that stands against this number alone: `-5`, but not `score-5`. */
function isNegative(tokens: Token[], at: number): boolean {
  const sign = tokens[at - 1];
  if (sign === undefined || !tokens[at]!.glued || !['-', '–'].includes(sign.text)) return false;
  return !sign.glued || tokens[at - 2]?.kind === 'mark';
}

/** One end of a clock time or of a ratio: `10:45`. */
const isPaired = (tokens: Token[], at: number): boolean =>
  (textAt(tokens, at - 1) === ':' && tokens[at]!.glued && tokens[at - 1]!.glued && isNumber(tokens[at - 2])) ||
  (textAt(tokens, at + 1) === ':' && tokens[at + 1]!.glued && isNumber(tokens[at + 2]) && tokens[at + 2]!.glued);

const longestList = 20;

/** The number of an item of a list, at the beginning of its line: `1. Costs`. */
function isItem(tokens: Token[], at: number): boolean {
  const { value } = tokens[at]!;
  const mark = tokens[at + 1];
  const behind = tokens[at + 2];
  const starts = at === 0 || tokens[at - 1]?.kind === 'break';
  const marked = mark?.glued === true && (mark.text === '.' || mark.text === ')');
  return starts && marked && value <= longestList && behind !== undefined && behind.kind !== 'break';
}

function isSound(tokens: Token[], at: number): boolean {
  const token = tokens[at]!;
  const next = tokens[at + 1];
  if (Number.isNaN(token.value) || /^0\d/.test(token.text)) return false;
  if (before.has(textAt(tokens, at - 1)) || counters.has(textAt(tokens, at - 1))) return false;
  if (textAt(tokens, at - 1) === '#' && token.glued) return false;
  if (isNegative(tokens, at) || isPaired(tokens, at) || isItem(tokens, at)) return false;
  if (token.glued && tokens[at - 1]?.kind === 'word') return false;
  if (next === undefined) return true;
  if (next.text === '+' && textAt(tokens, at + 2) !== '/') return false;
  const letters = next.glued && next.kind === 'word' && unitAt(tokens, at + 1) + percentAt(tokens, at + 1) === 0;
  return !after.has(next.text) && !letters;
}

/** Index after `± 5` or `+/- 5`, where one of them stands here. */
function afterMargin(tokens: Token[], at: number): number {
  if (textAt(tokens, at) === '±') return at + 2;
  return textAt(tokens, at) === '+' && textAt(tokens, at + 1) === '/' ? at + 4 : at;
}

/** The scale of the number before: directly behind it, in brackets, or after `on a`. */
function attachedScaleAt(tokens: Token[], at: number): Taken<Scale> | undefined {
  const open = textAt(tokens, at) === '(';
  let next = open || textAt(tokens, at) === ',' ? at + 1 : at;
  const on = textAt(tokens, next) === 'on';
  while (['on', 'a', 'an', 'the'].includes(textAt(tokens, next))) next += 1;
  const found = scaleAt(tokens, next);
  if (found === undefined || (found.taken.form === 'range' && !open && !on)) return undefined;
  if (!open) return found;
  return textAt(tokens, found.end) === ')' ? { ...found, end: found.end + 1 } : undefined;
}

function amountAt(tokens: Token[], at: number): Taken<Amount> {
  const { text, glued, value } = tokens[at]!;
  const sound = isSound(tokens, at);
  const amount = { kind: 'amount', text, glued, value } as const;
  const unit = at + 1 + unitAt(tokens, at + 1);
  const percent = percentAt(tokens, unit);
  const behind = afterMargin(tokens, unit + percent);
  const scale = attachedScaleAt(tokens, behind);
  if (scale === undefined) {
    const own = percent > 0 ? ({ base: 100, form: 'percent' } as const) : ({ base: undefined, form: 'bare' } as const);
    return { taken: { ...amount, ...own, sound }, end: behind };
  }
  const last = tokens[scale.end - 1]!;
  const next = tokens[scale.end];
  const dated = (next?.text === '/' && isNumber(tokens[scale.end + 1])) || /^0\d/.test(last.text);
  const joined = next?.glued === true && (next.kind === 'word' || (next.text === '-' && tokens[scale.end + 1]?.glued));
  return {
    taken: { ...amount, base: scale.taken.base, form: 'fraction', sound: sound && !dated && !joined },
    end: (dated ? scale.end + 2 : scale.end) + unitAt(tokens, scale.end),
  };
}

/** Whether the ends of this range are what something was and what it is: `rose from 45 to 62`. */
function isChange(tokens: Token[], at: number): boolean {
  if (textAt(tokens, at - 1) !== 'from') return false;
  return tokens.slice(Math.max(0, at - 9), at).some(({ text }) => changes.has(text));
}

function rangeAmountAt(tokens: Token[], at: number): Taken<Amount> | undefined {
  const range = rangeAt(tokens, at);
  if (range === undefined || counters.has(textAt(tokens, at - 1)) || isChange(tokens, at)) return undefined;
  const { text, glued, value } = tokens[at]!;
  return {
    taken: { kind: 'amount', text, glued, value, base: undefined, form: 'bare', sound: false },
    end: range.end,
  };
}

/** The pieces of a text, its numbers put together with their units and scales. */
export function piecesOf(tokens: Token[]): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at]!;
    const found =
      scaleAt(tokens, at) ??
      (token.kind === 'number' ? (rangeAmountAt(tokens, at) ?? amountAt(tokens, at)) : undefined);
    pieces.push(found?.taken ?? (token as Piece));
    at = found?.end ?? at + 1;
  }
  return pieces;
}
