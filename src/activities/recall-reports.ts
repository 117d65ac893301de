import type { StoredReport } from '../protocol/research.ts';
import type { Recalled } from '../protocol/search.ts';
import { addressOfReport, newestReports } from '../search/reports.ts';
import { closeness } from '../search/similarity.ts';
import { tidied } from '../search/tidy.ts';
import type { Store } from '../store/store.ts';
import { lessonOf } from './lesson.ts';

/** Runs on ideas that share less have nothing to teach. */
const leastCloseness = 0.3;

/** Runs on ideas that share more are tries of one idea. */
const oneIdea = 0.75;

/** How many runs are recalled, and how many of the works that each had found. */
const most = { runs: 8, works: 50 };

/**
 * The activity `recallReports`: the stored runs on ideas that are near one, the nearest first, the newest of equals.
 * Of several on about the same idea there is one.
 */
export function createRecallReports({ store }: { store: Store }) {
  return async function recallReports({ idea }: { idea: string }): Promise<Recalled[]> {
    const newestFirst = await store.reports(newestReports);
    const near = newestFirst
      .map((stored) => ({ stored, similarity: nearest([idea], ideasOf(stored)) }))
      .filter(({ similarity }) => similarity >= leastCloseness)
      .sort((one, other) => other.similarity - one.similarity);
    const chosen: typeof near = [];
    for (const each of near) {
      const ideas = ideasOf(each.stored);
      if (chosen.length === most.runs) break;
      if (chosen.every(({ stored }) => nearest(ideas, ideasOf(stored)) < oneIdea)) chosen.push(each);
    }
    return chosen.map(({ stored, similarity }) => recalled(stored, similarity));
  };
}

const ideasOf = ({ idea, iterations }: StoredReport): string[] => [
  idea,
  ...iterations.map((each) => each.idea),
];

const nearest = (ideas: string[], others: string[]): number =>
  Math.max(...ideas.flatMap((idea) => others.map((other) => closeness(idea, other))));

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
