import { queryOf, type Hit, type SentenceIndex } from '../../../util/text/sentence-search.ts';
import type { Sentence } from '../../../util/text/sentences.ts';
import type { SearchHit } from './provider.ts';

/** A passage that fits a query. */
export interface Passage extends SearchHit {
  /** How much of the query's weight its best sentence holds, from 0 to 1. */
  fit: number;
}

/** The length of a passage in characters, as far as its section and sentences allow. */
const minChars = 300;
const maxChars = 800;

const sectionOf = ({ source, heading }: Sentence): string => `${source}\n${heading}`;

/** Finds the sections that fit a query at least so much, and gives one passage of each, the best first. */
export async function passagesFor(query: string, index: SentenceIndex, leastFit: number): Promise<Passage[]> {
  const sections = Map.groupBy(await index.find(queryOf(query)), ({ sentence }) => sectionOf(sentence));
  return [...sections.values()].flatMap((hits) => {
    const [best] = hits;
    if (best === undefined || best.coverage < leastFit) return [];
    const { source, line, heading } = best.sentence;
    const title = heading === '' ? source : heading;
    return [{ title, url: `${source}:${line}`, text: textOf(hits, best, index), fit: best.coverage }];
  });
}

/** The best sentences of a section in their order, and if these are short, the sentences around the best one. */
function textOf(hits: Hit[], best: Hit, index: SentenceIndex): string {
  const chosen = new Map<number, string>();
  let length = 0;
  const add = (at: number, { text }: Sentence): boolean => {
    if (chosen.has(at)) return true;
    if (chosen.size > 0 && length + text.length > maxChars) return false;
    chosen.set(at, text);
    length += text.length;
    return true;
  };
  const isShort = (): boolean => length < minChars;
  hits.every((hit) => add(hit.index, hit.sentence));
  for (const step of [1, -1]) {
    for (let at = best.index + step; isShort(); at += step) {
      const near = index.at(at);
      if (near === undefined || sectionOf(near) !== sectionOf(best.sentence) || !add(at, near)) break;
    }
  }
  const places = [...chosen.keys()].sort((one, other) => one - other);
  return places
    .map((at, place) => {
      const text = chosen.get(at) ?? '';
      return place === 0 ? text : `${places[place - 1] === at - 1 ? ' ' : ' … '}${text}`;
    })
    .join('');
}
