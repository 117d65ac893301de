import { ownDocs } from '../../../config/search-services.ts';
import { Yielder } from '../../../util/yielder.ts';
import type { StoredReport } from '../../../protocol/research.ts';
import type { Store } from '../../../store/store.ts';
import { indexOfFolder } from '../../../util/folder-index.ts';
import type { SentenceIndex } from '../../../util/text/sentence-search.ts';
import { searchRefused } from './failures.ts';
import { passagesFor, type Passage } from './passages.ts';
import type { SearchProvider } from './provider.ts';
import { similarityOf } from '../../../util/text/similarity.ts';

/** The number of stored reports that are searched, the newest ones. */
export const newestReports = 1000;

/** The address of a stored report in sources and hits. */
export const addressOfReport = (id: string): string => `report:${id}`;

/** The share of a query's words that a report must have, since many reports have a few of them. */
const leastFitOfReport = 0.5;

/** Sections below this fit have one of the query's more common words, and little to do with it. */
const leastFit = 0.25;

/** Where a folder that somebody has named has none above that, one rarer word of a query is enough: it is about the subject. */
const leastFitOfNamed = 0.1;

/** Searches the texts below a folder, by default those of our own documentation, and the stored reports. */
export function searchFolder(named: string | undefined, store: Store): SearchProvider {
  const folder = named ?? ownDocs;
  return {
    async find(query) {
      const yielder = new Yielder();
      const found: Passage[] = [];
      for (const report of await store.reports(newestReports)) {
        found.push(...reportFor(query, report));
        if (yielder.due) await yielder.yield();
      }
      const index = await readable(folder);
      const passages = await passagesFor(query, index, named === undefined ? leastFit : leastFitOfNamed);
      const fitting = passages.filter(({ fit }) => fit >= leastFit);
      found.push(...(fitting.length > 0 ? fitting : passages));
      return { found: found.sort((one, other) => other.fit - one.fit) };
    },
  };
}

function reportFor(query: string, { id, idea, report: { title, summary } }: StoredReport): Passage[] {
  const fit = similarityOf(query, `${title} ${summary} ${idea}`);
  return fit < leastFitOfReport ? [] : [{ title, url: addressOfReport(id), text: summary, fit }];
}

async function readable(folder: string): Promise<SentenceIndex> {
  try {
    return await indexOfFolder(folder);
  } catch (error) {
    throw searchRefused(`search.folder: ${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
