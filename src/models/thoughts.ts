import { isObject } from '../util/values.ts';

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

/** Fields in which servers stream a thought as one text. It goes back in the field in which it came. */
const fields = ['reasoning_content', 'reasoning'] as const;

type Detail = Record<string, unknown>;

/** What a reply's thought goes back as: DeepSeek, Gemini and others refuse a conversation whose calls have lost theirs. */
export interface ThoughtFields {
  reasoning?: { field: (typeof fields)[number]; text: string };
  /** OpenRouter's and MiniMax's, whose signatures hold for the whole. They stand for the text too. */
  details?: Detail[];
}

/** Puts together what came in fields of a message's own beside its content. */
export class StreamedThought {
  readonly thought: ThoughtFields = {};

  /** @returns how many characters have been thought */
  add(delta: Record<string, unknown>): number {
    let more = 0;
    for (const field of fields) {
      const { [field]: text } = delta;
      if (typeof text !== 'string' || text === '') continue;
      this.thought.reasoning ??= { field, text: '' };
      if (this.thought.reasoning.field !== field) continue;
      this.thought.reasoning.text += text;
      more += text.length;
    }
    const { reasoning_details: details } = delta;
    for (const detail of Array.isArray(details) ? details : []) if (isObject(detail)) this.#addDetail(detail);
    return more;
  }

  /** A block comes in pieces of the same index, the last of which may have nothing but its signature. */
  #addDetail(piece: Detail): void {
    this.thought.details ??= [];
    const { index, type } = piece;
    const block = this.thought.details.find((each) => each['index'] === index && each['type'] === type);
    if (typeof index !== 'number' || block === undefined || piece['data'] !== undefined) {
      this.thought.details.push({ ...piece });
      return;
    }
    for (const [key, value] of Object.entries(piece)) {
      if (value === null || value === undefined) continue;
      const { [key]: before } = block;
      const isText = (key === 'text' || key === 'summary') && typeof before === 'string' && typeof value === 'string';
      block[key] = isText ? before + value : value;
    }
  }
}

export function thoughtFields({ details, reasoning }: ThoughtFields): Record<string, unknown> {
  if (details !== undefined) return { reasoning_details: details };
  return reasoning === undefined ? {} : { [reasoning.field]: reasoning.text };
}
