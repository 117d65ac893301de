/**
 * How open models mark what they think before they reply. Servers take it out of the text only where they are told to
 * (vLLM's `--reasoning-parser`), or not at all (LM Studio, Groq's raw format, and llama.cpp with models it does not know).
 */
const marks = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<mm:think>', '</mm:think>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<|channel>thought', '<channel|>'],
] as const;

const openingOf = (text: string): (typeof marks)[number] | undefined =>
  marks.find(([opening]) => text.startsWith(opening));

/** Many templates end with the first mark, so that the reply has only the second. In code it is what somebody asked for. */
const closingAlone = /(?<![`'"])<\/think>(?=[\s<]|$)/;

/**
 * Parts what a model thought from what it says.
 *
 * @param isCut whether the reply has ended at its limit, so that the end of a thought may be missing
 * @returns the text in two parts; without any thought the first is empty
 */
export function partThought(text: string, isCut: boolean): { thought: string; said: string } {
  const begin = text.length - text.trimStart().length;
  const mark = openingOf(text.slice(begin));
  if (mark === undefined) return partAtClosing(text);
  const at = text.indexOf(mark[1], begin);
  // A model that has ended in its thought has said nothing else.
  if (at === -1) return isCut ? { thought: text, said: '' } : { thought: '', said: text.slice(begin + mark[0].length) };
  return partAt(text, at + mark[1].length);
}

function partAtClosing(text: string): { thought: string; said: string } {
  const found = closingAlone.exec(text);
  const before = text.slice(0, found?.index ?? 0);
  const isInCode = before.split('```').length % 2 === 0;
  if (found === null || isInCode || before.includes('<think>')) return { thought: '', said: text };
  return partAt(text, found.index + found[0].length);
}

function partAt(text: string, at: number): { thought: string; said: string } {
  const end = text.length - text.slice(at).trimStart().length;
  return { thought: text.slice(0, end), said: text.slice(end) };
}

const longestMark = Math.max(...marks.flat().map((each) => each.length));

/** Lets through what is said of a text that comes in pieces. Where a thought has no first mark, it is let through too. */
export class SaidPieces {
  #held = '';
  #mark: (typeof marks)[number] | undefined;
  #state: 'unknown' | 'thinking' | 'between' | 'said' = 'unknown';

  add(piece: string): string {
    if (this.#state === 'said') return piece;
    this.#held += piece;
    const text = this.#held.trimStart();
    if (this.#state === 'unknown') {
      if (marks.some(([opening]) => opening.startsWith(text))) return '';
      this.#mark = openingOf(text);
      this.#state = this.#mark === undefined ? 'said' : 'thinking';
    }
    if (this.#state === 'said') return this.#held;
    return this.#state === 'thinking' ? this.#afterThought() : this.#firstWords(text);
  }

  #afterThought(): string {
    const [, closing = ''] = this.#mark ?? [];
    const at = this.#held.indexOf(closing);
    // The mark may come in two pieces.
    this.#held = at === -1 ? this.#held.slice(-longestMark) : this.#held.slice(at + closing.length);
    if (at === -1) return '';
    this.#state = 'between';
    return this.#firstWords(this.#held.trimStart());
  }

  #firstWords(text: string): string {
    if (text !== '') this.#state = 'said';
    return text;
  }
}
