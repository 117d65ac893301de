import type { StoredReport } from '../messages/research.ts';
import type { Recalled } from '../messages/search.ts';
import { addressOfReport, newestReports } from '../search/reports.ts';
import { closeness } from '../search/similarity.ts';
import { tidied } from '../search/tidy.ts';
import type { Store } from '../store/store.ts';
import { stemsOf } from '../tools/words.ts';
import { lessonOf } from './lesson.ts';

/** Runs on ideas that share less have nothing to teach. */
const leastCloseness = 0.3;

/** How many runs are recalled, and how many of the works that each had found. */
const most = { runs: 8, works: 50 };

/** The activity `recallReports`: the stored runs on ideas that are near one, the nearest first, the newest of equals. */
export function createRecallReports({ store }: { store: Store }) {
  return async function recallReports({ idea }: { idea: string }): Promise<Recalled[]> {
    const newestFirst = await store.reports(newestReports);
    return newestOfEach(newestFirst)
      .map((stored) => ({ stored, similarity: nearest(idea, stored) }))
      .filter(({ similarity }) => similarity >= leastCloseness)
      .sort((one, other) => other.similarity - one.similarity)
      .slice(0, most.runs)
      .map(({ stored, similarity }) => recalled(stored, similarity));
  };
}

/** Runs on the very same idea count once. */
function newestOfEach(newestFirst: StoredReport[]): StoredReport[] {
  const seen = new Set<string>();
  return newestFirst.filter(({ idea }) => {
    const words = [...new Set(stemsOf(idea))].sort().join(' ');
    if (seen.has(words)) return false;
    seen.add(words);
    return true;
  });
}

const nearest = (idea: string, { idea: brought, iterations }: StoredReport): number =>
  Math.max(closeness(idea, brought), ...iterations.map((each) => closeness(idea, each.idea)));

function recalled(stored: StoredReport, similarity: number): Recalled {
  const similar = tidied(stored.similar.map((work) => ({ ...work, text: '' })));
  const [report] = tidied([{ title: stored.report.title, url: addressOfReport(stored.id), text: '' }]);
  return {
    title: report?.title ?? stored.id,
    url: addressOfReport(stored.id),
    similarity,
    similar: similar.slice(0, most.works).map(({ title, url }) => ({ title, url })),
    lesson: lessonOf(stored),
  };
}
