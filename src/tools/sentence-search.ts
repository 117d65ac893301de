import { sentencesOf, type Sentence } from './sentences.ts';
import type { TextFile } from './text-files.ts';
import { stemsOf } from './words.ts';

export interface Hit {
  sentence: Sentence;
  /** The sentence's index, by which its neighbours are found. */
  index: number;
  score: number;
  /** The share of the query's weight that the sentence, its headings and its paragraph hold, from 0 to 1. */
  coverage: number;
  /** How many of the query's stems they hold. */
  held: number;
}

/** The stems of a query with their weights. */
export type Query = Map<string, number>;

export function queryOf(text: string, weight = 1): Query {
  return new Map(stemsOf(text).map((stem) => [stem, weight]));
}

interface Indexed {
  sentence: Sentence;
  own: Set<string>;
  heading: Set<string>;
  words: number;
}

/** The weights of a word that is in a heading, or elsewhere in the paragraph, beside 1 for the sentence itself. */
const headingWeight = 0.5;
const paragraphWeight = 0.3;

const paragraphOf = ({ source, line }: Sentence): string => `${source}:${line}`;

/** Finds the sentences that fit a query. Rare words count more (inverse document frequency), long sentences less. */
export class SentenceIndex {
  readonly #entries: Indexed[];
  readonly #frequency = new Map<string, number>();
  readonly #paragraphs = new Map<string, Set<string>>();

  constructor(files: TextFile[]) {
    this.#entries = files.flatMap(sentencesOf).map((sentence) => ({
      sentence,
      own: new Set(stemsOf(sentence.text)),
      heading: new Set(stemsOf(`${sentence.heading} ${sentence.source.replace(/\.\w+$/, '')}`)),
      words: sentence.text.split(/\s+/).length,
    }));
    for (const { own, sentence } of this.#entries) {
      const key = paragraphOf(sentence);
      this.#paragraphs.set(key, new Set([...(this.#paragraphs.get(key) ?? []), ...own]));
      for (const stem of own) this.#frequency.set(stem, (this.#frequency.get(stem) ?? 0) + 1);
    }
  }

  /** All sentences in the order of the texts. */
  get all(): Sentence[] {
    return this.#entries.map(({ sentence }) => sentence);
  }

  at(index: number): Sentence | undefined {
    return this.#entries[index]?.sentence;
  }

  /** The share of a query's weight that another text holds, from 0 to 1. Words weigh by their rarity in this index. */
  shareOf(query: Query, text: string): number {
    const held = new Set(stemsOf(text));
    const weigh = (entries: Query): number =>
      [...entries].reduce((sum, [stem, weight]) => sum + weight * this.#rarity(stem), 0);
    const all = weigh(query);
    return all === 0 ? 0 : weigh(new Map([...query].filter(([stem]) => held.has(stem)))) / all;
  }

  /**
   * Hits from best to worst. Equal ones keep the order of the texts.
   *
   * @param context further words that raise a sentence's score but not its coverage
   */
  search(query: Query, context: Query = new Map()): Hit[] {
    const hits = this.#entries.map((_, index) => this.#hit(query, context, index));
    return hits
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || one.index - other.index);
  }

  #hit(query: Query, context: Query, index: number): Hit {
    const { sentence, words, own } = this.#entries[index] as Indexed;
    const asked = this.#weigh(query, index);
    const near = this.#weigh(context, index);
    const brevity = 1 / (1 + Math.max(0, words - 25) / 60);
    const speaks = [...query.keys(), ...context.keys()].some((stem) => own.has(stem));
    return {
      sentence,
      index,
      score: speaks ? (asked.found + near.found) * brevity : 0,
      coverage: asked.all === 0 ? 0 : asked.found / asked.all,
      held: asked.held,
    };
  }

  /** How much of a query's weight a sentence holds, itself and by its headings and paragraph. */
  #weigh(query: Query, index: number): { found: number; all: number; held: number } {
    const { sentence, own, heading } = this.#entries[index] as Indexed;
    const paragraph = this.#paragraphs.get(paragraphOf(sentence));
    let found = 0;
    let all = 0;
    let held = query.size;
    for (const [stem, weight] of query) {
      const value = weight * this.#rarity(stem);
      all += value;
      if (own.has(stem)) found += value;
      else if (heading.has(stem)) found += value * headingWeight;
      else if (paragraph?.has(stem)) found += value * paragraphWeight;
      else held -= 1;
    }
    return { found, all, held };
  }

  /** The inverse document frequency of a stem, which is highest if no sentence holds it. */
  #rarity(stem: string): number {
    return Math.log(1 + (this.#entries.length + 1) / ((this.#frequency.get(stem) ?? 0) + 0.5));
  }
}
