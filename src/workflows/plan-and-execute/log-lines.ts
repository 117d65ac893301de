import type { SolveEventBody } from '../../protocol/events.ts';
import { line, type LogLines } from '../runtime/log-entry.ts';
import { beginningOf } from '../runtime/size.ts';
import { pythonList, summaryText } from './python-text.ts';

/** The numbers of the phases. The document prints only the fourth, which carries out the plan. */
const phases = { 'QUERY ANALYSIS': 1, PLANNING: 3, EXECUTION: 4, 'SYNTHESIS AND VALIDATION': 5 } as const;

const endOfRound = {
  plan: (count: number) => `Plan execution complete: ${count} results`,
  retry: (count: number) => `Retry execution complete: ${count} subtask(s) retried`,
  new_plan: (count: number) => `New plan execution complete: ${count} results`,
} as const;

/** Lines of the document "Retry Optimization", section Logging, are worded, and in Python's notation, as printed there. */
export const planLines: LogLines<SolveEventBody> = {
  phase: ({ phase }) => [line(`=== Phase ${phases[phase]}: ${phase} ===`)],
  analysis: ({ requirements }) => [line(`The answer must hold: ${requirements.join('; ')}`)],
  subtasks: ({ subtasks }) =>
    subtasks.map(({ dependsOn, description, id }) => {
      const after = dependsOn.length === 0 ? '' : ` (after ${dependsOn.join(', ')})`;
      return line(`${id}: ${description}${after}`);
    }),
  subtask_started: ({ description, id, isRetry }) => [
    line(`${isRetry ? 'Retrying failed' : 'Executing'} subtask: ${id} - ${shortened(description)}`),
  ],
  subtask_completed: ({ id, isRetry }) => [
    line(isRetry ? `Successfully retried subtask: ${id}` : `✅ Completed subtask: ${id}`),
  ],
  subtask_failed: ({ error, id, isRetry }) => [
    line(`❌ Failed subtask: ${id} (${error})`),
    ...(isRetry ? [line(`Dead end: ${id} has failed again`)] : []),
  ],
  retry_round: ({ ids }) => [
    line(`Found ${ids.length} failed subtask(s) to retry: ${pythonList(ids)}`),
    line('=== Phase 4 (RETRY): EXECUTE FAILED SUBTASKS ==='),
  ],
  plan_around_round: ({ ids }) => [
    line(
      `Found ${ids.length} dead end${ids.length === 1 ? '' : 's'}: ${ids.join(', ')}. Creating other subtasks instead...`,
    ),
    line('=== Phase 4 (RETRY): EXECUTE NEW PLAN ==='),
  ],
  new_plan_round: ({ missing }) => [
    line('No failed subtasks found. Creating additional subtasks for missing requirements...'),
    line(`Creating improved plan to address: ${pythonList(missing, 2)}`),
    line('=== Phase 4 (RETRY): EXECUTE NEW PLAN ==='),
  ],
  round_ended: ({ count, what }) => [line(endOfRound[what](count))],
  validation: ({ isComplete, missingRequirements, quality }) => [
    line(
      isComplete
        ? `🔍 Validated: complete, quality ${quality}`
        : `🔍 Not validated: missing ${missingRequirements.join('; ') || 'something'}, quality ${quality}`,
    ),
  ],
  state_summary: ({ summary }) => [line(summaryText(summary))],
  solution: () => [],
};

/** At most 20 characters in whole words, and dots, as in the document. */
function shortened(description: string): string {
  const [first = ''] = description.split('\n');
  const words = first.length <= 20 ? first : first.slice(0, 21).replace(/\s+\S*$/, '');
  return `${beginningOf(words, 20).trimEnd()}...`;
}
