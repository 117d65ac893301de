import { ownDocs } from '../../../config/search-services.ts';
import { Yielder } from '../../../util/yielder.ts';
import type { Store } from '../../../store/store.ts';
import { indexOfFolder } from '../../../util/folder-index.ts';
import { queryOf, type Hit, type SentenceIndex } from '../../../util/text/sentence-search.ts';
import type { Sentence } from '../../../util/text/sentences.ts';
import { searchRefused, type Search, type SearchHit } from './provider.ts';
import { similarityOf } from '../../../util/text/words.ts';

export const newestReports = 1000;

export const addressOfReport = (id: string): string => `report:${id}`;

/** The share of a query's words that a report must have, since many reports have a few of them. */
const leastFitOfReport = 0.5;

/** Sections below this fit have one of the query's more common words, and little to do with it. */
const leastFit = 0.25;

/** Where a folder that somebody has named has none above that, one rarer word of a query is enough: it is about the subject. */
const leastFitOfNamed = 0.1;

/** Searches the texts below a folder, by default those of our own documentation, and the stored reports. */
export function searchFolder(named: string | undefined, store: Store): Search {
  const folder = named ?? ownDocs;
  return async (query) => {
    const yielder = new Yielder();
    const found: Passage[] = [];
    for (const report of await store.reports(newestReports)) {
      const { title, summary } = report.report;
      const fit = similarityOf(query, `${title} ${summary} ${report.idea}`);
      if (fit >= leastFitOfReport) found.push({ title, url: addressOfReport(report.id), text: summary, fit });
      if (yielder.due) await yielder.yield();
    }
    const index = await readable(folder);
    const passages = await passagesFor(query, index, named === undefined ? leastFit : leastFitOfNamed);
    const fitting = passages.filter(({ fit }) => fit >= leastFit);
    found.push(...(fitting.length > 0 ? fitting : passages));
    return { found: found.sort((one, other) => other.fit - one.fit) };
  };
}

async function readable(folder: string): Promise<SentenceIndex> {
  try {
    return await indexOfFolder(folder);
  } catch (error) {
    throw searchRefused(`search.folder: ${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

interface Passage extends SearchHit {
  /** How much of the query's weight its best sentence holds, from 0 to 1. */
  fit: number;
}

/** The length of a passage in characters, as far as its section and sentences allow. */
const minChars = 300;
const maxChars = 800;

const sectionOf = ({ source, heading }: Sentence): string => `${source}\n${heading}`;

/** Finds the sections that fit a query at least so much, and gives one passage of each, the best first. */
async function passagesFor(query: string, index: SentenceIndex, leastFit: number): Promise<Passage[]> {
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
