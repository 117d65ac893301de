import { stem, stemsOf } from '../../../tools/words.ts';

/** A part of a text, by its characters. */
export interface Span {
  start: number;
  end: number;
}

/** A word with its stem; no word is left out, since columns may have any name. */
export interface Word extends Span {
  text: string;
  stem: string;
}

/** What a question about a table may say without asking for anything more. */
const neutral = new Set(
  stemsOf(
    'answer attached attachment calculate column compute csv currency data determine dollar entire entry eur euro file ' +
      'identify made number overall placed recorded record report return row sell sold spreadsheet table usd value whole',
  ),
);

export function wordsOf(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    text: word,
    stem: stem(word.toLowerCase()),
    start: index,
    end: index + word.length,
  }));
}

/** Where words with these stems stand one after the other. */
export function placesOf(stems: string[], words: Word[]): Word[][] {
  if (stems.length === 0) return [];
  return words.flatMap((_, place) => {
    const there = words.slice(place, place + stems.length);
    return there.length === stems.length && there.every((word, index) => word.stem === stems[index])
      ? [there]
      : [];
  });
}

/** A question whose words are taken away as they are understood: it is understood when none is left. */
export class Asked {
  #open: string;

  constructor(text: string) {
    this.#open = text;
  }

  /** What is not understood yet, with blanks in place of the rest. */
  get open(): string {
    return this.#open;
  }

  get words(): Word[] {
    return wordsOf(this.#open);
  }

  take({ start, end }: Span): void {
    this.#open = this.#open.slice(0, start) + ' '.repeat(end - start) + this.#open.slice(end);
  }

  /** Takes the first place that a pattern fits. */
  takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    const match = pattern.exec(this.#open);
    if (match === null) return undefined;
    this.take({ start: match.index, end: match.index + match[0].length });
    return match;
  }

  /** The stems that nothing was made of. @param known stems that need not be understood */
  leftOver(known: string[]): string[] {
    return stemsOf(this.#open).filter((each) => !neutral.has(each) && !known.includes(each));
  }
}
