import { Context } from '@temporalio/activity';
import type { Iteration, PersistInput, StoredReport } from '../protocol/research.ts';
import { Yielder } from '../util/yielder.ts';
import { hashOf } from '../util/ids.ts';
import type { Store } from '../store/store.ts';
import type { Recalled } from '../protocol/search.ts';
import { addressOfReport, newestReports } from '../tools/web/search/folder.ts';
import { closeness } from '../util/text/words.ts';
import { bounded, normalized } from '../tools/web/search/normalize.ts';

/** The id is derived from the run id, so a retry stores no second report. */
export function createPersistReport({ store }: { store: Store }) {
  return async function persistReport(input: PersistInput): Promise<{ reportId: string }> {
    const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
    const id = hashOf(runId).slice(0, 16);
    await store.putReport({ ...input, id, workflowId, createdAt: new Date().toISOString() });
    return { reportId: id };
  };
}

/** Ideas that are less close have nothing to teach. */
const leastCloseness = 0.3;

/** Ideas that are so close count as one. */
const oneIdea = 0.75;

const mostRuns = 8;

/** The closest first, of equally close ones the newest, and of about the same idea only the first. */
export function createRecallReports({ store }: { store: Store }) {
  return async function recallReports({ idea }: { idea: string }): Promise<Recalled[]> {
    const yielder = new Yielder();
    const near: Array<{ stored: StoredReport; similarity: number }> = [];
    for (const stored of await store.reports(newestReports)) {
      const similarity = nearest([idea], ideasOf(stored));
      if (similarity >= leastCloseness) near.push({ stored, similarity });
      if (yielder.due) await yielder.yield();
    }
    near.sort((one, other) => other.similarity - one.similarity);
    const chosen: typeof near = [];
    for (const each of near) {
      const ideas = ideasOf(each.stored);
      if (chosen.length === mostRuns) break;
      if (chosen.every(({ stored }) => nearest(ideas, ideasOf(stored)) < oneIdea)) chosen.push(each);
    }
    return chosen.map(({ stored, similarity }) => {
      const url = addressOfReport(stored.id);
      const [report] = normalized([{ title: stored.report.title, url, text: '' }]);
      return { title: report?.title ?? stored.id, url, similarity, lesson: lessonOf(stored) };
    });
  };
}

const ideasOf = ({ idea, iterations }: StoredReport): string[] => [idea, ...iterations.map((each) => each.idea)];

const nearest = (ideas: string[], others: string[]): number =>
  Math.max(...ideas.flatMap((idea) => others.map((other) => closeness(idea, other))));

const maxChars = { lesson: 1000, part: 140 };

/** The last comes last because the end may be cut. */
export function lessonOf({ idea, outcome, iterations }: StoredReport): string {
  const lines = [`Idea: ${part(idea)}`, `Outcome: ${outcome}`, ...iterations.flatMap(helped), ...iterations.map(tried)];
  return bounded(lines.join('\n'), maxChars.lesson);
}

function helped({ iteration, score, restartKind }: Iteration, index: number, iterations: Iteration[]): string[] {
  const after = iterations[index + 1]?.score ?? null;
  if (restartKind === null || score === null || after === null || after <= score) return [];
  const rise = Math.round((after - score) * 100) / 100;
  const restart = `the restart after iteration ${iteration} (${restartKind})`;
  return [`Helped: ${restart} raised the score by ${rise}, from ${score} to ${after}`];
}

function tried({ iteration, idea, score, verdict, restartReason }: Iteration): string {
  const scored = score === null ? (verdict ?? 'not scored') : `score ${score}, ${verdict}`;
  const restarted = restartReason === null ? '' : `; restarted: ${part(restartReason)}`;
  return `Iteration ${iteration}: ${part(idea)} (${scored})${restarted}`;
}

const part = (text: string): string => bounded(text.replace(/\s+/g, ' ').trim(), maxChars.part);
