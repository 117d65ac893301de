import { queryOf, SentenceIndex } from '../../../tools/sentence-search.ts';
import { stemsOf } from '../../../tools/words.ts';
import { leaning } from '../findings.ts';
import type { Kind } from './kinds.ts';

/** A hit of a search, as the material shows it. */
export interface Passage {
  /** What it is cited by: `1.2`. */
  mark: string;
  title: string;
  text: string;
  /** The stems of its title and its text. */
  stems: Set<string>;
}

/** A sentence of a passage. */
export interface Quote {
  text: string;
  mark: string;
}

const mark = /\[(\d+\.\d+)\]/g;

/** `[1.2] Title (address)` */
const opening = /^\[(\d+\.\d+)\] (.+?)(?: \(([^()]|\([^()]*\))*\))?$/;

const notSearched = /^Not searched: (.+)$/gm;

/** Longer ones are hard to read as quotations. */
const longest = 350;

/** How much a word of the idea speaks for a sentence that is looked for by other words. */
const besideKind = 0.5;

/** What was found on a plan's queries, and what of it is worth quoting. */
export class Material {
  readonly passages: Passage[];
  /** Searches that failed, in words. */
  readonly gaps: string[];
  readonly #index: SentenceIndex;

  constructor(text: string) {
    this.passages = passagesIn(text);
    this.gaps = [...text.matchAll(notSearched)].map(([, gap = '']) => gap);
    this.#index = new SentenceIndex(
      this.passages.map((passage) => ({ name: passage.mark, text: `# ${passage.title}\n\n${passage.text}` })),
    );
  }

  /**
   * The sentences that fit an idea best, one of each passage, whole ones first.
   *
   * @param told sentences that are not to be quoted again; those found are added
   * @param kind what the sentences must speak of; the idea's words only speak for them then
   */
  quotes(idea: string, most: number, told: Set<string>, kind?: Kind): Quote[] {
    const hits =
      kind === undefined
        ? this.#index.search(queryOf(idea))
        : this.#index.search(queryOf(kind.stems.join(' ')), queryOf(idea, besideKind));
    const fitting = hits
      .map(({ sentence }) => ({ text: sentence.text.replace(mark, '').trim(), mark: sentence.source }))
      .filter(({ text }) => text.length <= longest && !leaning.test(text) && !text.endsWith('?'))
      .filter(({ text }) => kind === undefined || stemsOf(text).some((stem) => kind.stems.includes(stem)));
    const quotes: Quote[] = [];
    for (const quote of [...fitting.filter(isWhole), ...fitting]) {
      const isNew = !told.has(quote.text) && !quotes.some((other) => other.mark === quote.mark);
      if (quotes.length === most || !isNew) continue;
      told.add(quote.text);
      quotes.push(quote);
    }
    return quotes;
  }

  /** A text without marks that nothing stands for. */
  withKnownMarks(text: string): string {
    return text.replace(mark, (each, number: string) =>
      this.passages.some((passage) => passage.mark === number) ? each : '',
    );
  }
}

const isWhole = ({ text }: Quote): boolean => /[.!]["'”’)]*$/.test(text);

/** A sentence with its mark before the full stop: `Prices rise [1.2].` */
export function cited({ text, mark: number }: Quote): string {
  return `${text.replace(/[.!]$/, '')} [${number}].`;
}

/** The same passage may be found by several queries: the first one counts. */
function passagesIn(material: string): Passage[] {
  const passages: Array<{ mark: string; title: string; lines: string[] }> = [];
  let isOpen = false;
  for (const line of material.split('\n')) {
    const [, number, title] = opening.exec(line) ?? [];
    if (number !== undefined && title !== undefined) passages.push({ mark: number, title, lines: [] });
    else if (isOpen && line.trim() !== '') passages.at(-1)?.lines.push(line);
    isOpen = number !== undefined || (isOpen && line.trim() !== '');
  }
  return passages
    .map(({ mark: number, title, lines }) => ({
      mark: number,
      title,
      text: lines.join('\n'),
      stems: new Set(stemsOf(`${title} ${lines.join(' ')}`)),
    }))
    .filter((one, place, all) => place === all.findIndex((other) => isSame(one, other)));
}

const isSame = (one: Passage, other: Passage): boolean =>
  one.title === other.title && one.text === other.text;
