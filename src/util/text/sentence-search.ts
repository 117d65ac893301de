import { Yielder } from '../yielder.ts';
import { sentencesOf, type Sentence, type TextFile } from './sentences.ts';
import { stemsOf } from './words.ts';

export interface Hit {
  sentence: Sentence;
  /** The sentence's index, by which its neighbours are found. */
  index: number;
  score: number;
  /** The share of the query's weight that the sentence, its headings and its paragraph hold, from 0 to 1. */
  coverage: number;
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

const mostFound = 5000;

const paragraphOf = ({ source, line }: Sentence): string => `${source}:${line}`;

/** Finds the sentences that fit a query. Rare words count more (inverse document frequency), long sentences less. */
export class SentenceIndex {
  readonly #entries: Indexed[] = [];
  readonly #frequency = new Map<string, number>();
  readonly #paragraphs = new Map<string, Set<string>>();

  constructor(files: TextFile[]) {
    for (const file of files) for (const sentence of sentencesOf(file)) this.#add(sentence);
  }

  /** Indexes any number of texts, with breaks for other work. */
  static async of(files: AsyncIterable<TextFile>): Promise<SentenceIndex> {
    const index = new SentenceIndex([]);
    const yielder = new Yielder();
    for await (const file of files) {
      for (const sentence of sentencesOf(file)) {
        index.#add(sentence);
        if (yielder.due) await yielder.yield();
      }
    }
    return index;
  }

  #add(sentence: Sentence): void {
    const own = new Set(stemsOf(sentence.text));
    const heading = new Set(stemsOf(`${sentence.heading} ${sentence.source.replace(/\.\w+$/, '')}`));
    this.#entries.push({ sentence, own, heading, words: sentence.text.split(/\s+/).length });
    const key = paragraphOf(sentence);
    const paragraph = this.#paragraphs.get(key) ?? new Set();
    this.#paragraphs.set(key, paragraph);
    for (const stem of own) {
      paragraph.add(stem);
      this.#frequency.set(stem, (this.#frequency.get(stem) ?? 0) + 1);
    }
  }

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

  /** From best to worst, else in order. @param context further words that raise a score but not the coverage */
  search(query: Query, context: Query = new Map()): Hit[] {
    return ranked(this.#entries.map((_, index) => this.#hit(query, context, index)));
  }

  /** The 5,000 best hits at most, in an index of any size, with breaks for other work. */
  async find(query: Query): Promise<Hit[]> {
    const yielder = new Yielder();
    let hits: Hit[] = [];
    for (const index of this.#entries.keys()) {
      hits.push(this.#hit(query, new Map(), index));
      if (hits.length >= 2 * mostFound) hits = ranked(hits).slice(0, mostFound);
      if (yielder.due) await yielder.yield();
    }
    return ranked(hits).slice(0, mostFound);
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

const ranked = (hits: Hit[]): Hit[] =>
  hits.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score || one.index - other.index);
