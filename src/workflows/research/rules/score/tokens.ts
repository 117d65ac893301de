import { numberInWords } from './number-words.ts';

/** A piece of a plain text. `glued`: nothing stands between it and the piece before. */
export interface Token {
  /** `break`: one or more ends of lines; its text is `\n`, or `\n\n` where an empty line is among them. */
  kind: 'word' | 'mark' | 'break' | 'number';
  text: string;
  glued: boolean;
  /** Of a number; NaN for what is none, such as `1.2.3`. */
  value: number;
}

/** Something that several pieces make up. */
export interface Taken<T> {
  taken: T;
  /** Index of the piece after it. */
  end: number;
}

export const textAt = (pieces: Array<{ text: string }>, at: number): string => pieces[at]?.text ?? '';

export const isNumber = (token: Token | undefined): token is Token => token?.kind === 'number';

const piece = /\s+|\p{L}[\p{L}\p{M}]*(?:'\p{L}+)*|\.?\d+(?:[.,]\d+)*|[^\s]/gu;

// Not where they are used: a workflow's sandbox takes 7 µs each time it comes by an expression, and texts are long.
const thousands = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const letterFirst = /^\p{L}/u;
const digitLast = /\d$/;

/** Decimals with a point or a comma; a single comma before three digits parts thousands. */
function valueOf(digits: string): number {
  if (thousands.test(digits)) return Number(digits.replaceAll(',', ''));
  return Number(digits.replace(',', '.'));
}

function kindOf(text: string): Token['kind'] {
  if (letterFirst.test(text)) return 'word';
  return digitLast.test(text) ? 'number' : 'mark';
}

function written(text: string): Token[] {
  const tokens: Token[] = [];
  let glued = false;
  for (const [match] of text.matchAll(piece)) {
    const space = match.trim() === '';
    if (!space) {
      const kind = kindOf(match);
      tokens.push({ kind, text: match, glued, value: kind === 'number' ? valueOf(match) : NaN });
    } else if (match.includes('\n')) {
      const empty = match.indexOf('\n') !== match.lastIndexOf('\n');
      tokens.push({ kind: 'break', text: empty ? '\n\n' : '\n', glued, value: NaN });
    }
    glued = !space;
  }
  return tokens;
}

/** The pieces of a plain text; numbers in words are numbers, with their first word as text. */
export function tokensOf(plain: string): Token[] {
  const all = written(plain);
  const tokens: Token[] = [];
  for (let at = 0; at < all.length; at += 1) {
    const token = all[at]!;
    const spoken = token.kind === 'word' ? numberInWords((offset) => all[at + offset]?.text) : undefined;
    if (spoken === undefined) tokens.push(token);
    else {
      tokens.push({ ...token, kind: 'number', value: spoken.value });
      at += spoken.length - 1;
    }
  }
  return tokens;
}
