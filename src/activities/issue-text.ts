import type { Iteration, StoredReport } from '../protocol/research.ts';
import { markdownOf } from '../workflows/research/rules/markdown.ts';
import { bounded } from '../search/tidy.ts';

/** What GitHub takes, in characters. */
const longest = { title: 256, body: 65_536 };

const cutNote = '\n\n… (cut: the whole report is in the store)';

/** By this an issue is known to be that of a report; hidden where it is read. */
export const markerOf = (id: string): string => `<!-- reprise-report: ${id} -->`;

export const titleOf = ({ report: { title } }: StoredReport): string =>
  bounded(title.replace(/\s+/g, ' ').trim(), longest.title);

/** The marker comes first: behind a text that is cut within a block of code it would be shown, or cut off. */
export function bodyOf(stored: StoredReport): string {
  const { id, report, outcome, iterations } = stored;
  const scores = iterations.map(scoreText).join(', ');
  const body = [markerOf(id), `Outcome: ${outcome}. Scores: ${scores || 'none'}.`, markdownOf(report)];
  const whole = body.join('\n\n');
  if (whole.length <= longest.body) return whole;
  return whole.slice(0, longest.body - cutNote.length).replace(/[\uD800-\uDBFF]$/, '') + cutNote;
}

const scoreText = ({ iteration, score, verdict }: Iteration): string =>
  `${score ?? 'no score'} in iteration ${iteration}${verdict === null || score === null ? '' : ` (${verdict})`}`;
