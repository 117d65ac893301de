import type { SolveEventBody } from '../../protocol/events.ts';
import { line, type LogLines } from '../runtime/log-entry.ts';
import { beginningOf } from '../runtime/size.ts';
import type { StateSummary } from '../../protocol/plan-and-execute.ts';

/** The numbers of the phases. The document prints only the fourth, which carries out the plan. */
const phases = { 'QUERY ANALYSIS': 1, PLANNING: 3, EXECUTION: 4, 'SYNTHESIS AND VALIDATION': 5 } as const;

const endOfRound = {
  plan: (count: number) => `Plan execution complete: ${count} results`,
  retry: (count: number) => `Retry execution complete: ${count} subtask(s) retried`,
  new_plan: (count: number) => `New plan execution complete: ${count} results`,
} as const;

/** Lines of the document "Retry Optimization", section Logging, are worded, and in Python's notation, as printed there: people search for them. */
export const planLines: LogLines<SolveEventBody> = {
  phase: ({ phase }) => `=== Phase ${phases[phase]}: ${phase} ===`,
  analysis: ({ requirements }) => `The answer must hold: ${requirements.join('; ')}`,
  subtasks: ({ subtasks }) =>
    subtasks.map(({ dependsOn, description, id }) => {
      const after = dependsOn.length === 0 ? '' : ` (after ${dependsOn.join(', ')})`;
      return line(`${id}: ${description}${after}`);
    }),
  subtask_started: ({ description, id, isRetry }) =>
    `${isRetry ? 'Retrying failed' : 'Executing'} subtask: ${id} - ${shortened(description)}`,
  subtask_completed: ({ id, isRetry }) =>
    isRetry ? `Successfully retried subtask: ${id}` : `✅ Completed subtask: ${id}`,
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
  round_ended: ({ count, what }) => endOfRound[what](count),
  validation: ({ isComplete, missingRequirements, quality }) =>
    isComplete
      ? `🔍 Validated: complete, quality ${quality}`
      : `🔍 Not validated: missing ${missingRequirements.join('; ') || 'something'}, quality ${quality}`,
  state_summary: ({ summary }) => summaryText(summary),
  solution: () => [],
};

/** At most 20 characters in whole words, and dots, as in the document. */
function shortened(description: string): string {
  const [first = ''] = description.split('\n');
  const words = first.length <= 20 ? first : first.slice(0, 21).replace(/\s+\S*$/, '');
  return `${beginningOf(words, 20).trimEnd()}...`;
}

const shortEscapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** In double quotes if the text holds single ones and no double ones. */
export function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\']|(?! )[\p{C}\p{Z}]/gu, (sign) => {
    if (sign === "'") return quote === "'" ? "\\'" : "'";
    return shortEscapes[sign] ?? codeEscape(sign.codePointAt(0) ?? 0);
  });
  return `${quote}${escaped}${quote}`;
}

function codeEscape(code: number): string {
  const hex = (digits: number): string => code.toString(16).padStart(digits, '0');
  if (code < 0x100) return `\\x${hex(2)}`;
  return code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}

/** @param most the number of texts that are printed; `...` stands for the others */
export function pythonList(texts: string[], most = texts.length): string {
  const shown = texts.slice(0, most).map(pythonString);
  return `[${[...shown, ...(texts.length > most ? ['...'] : [])].join(', ')}]`;
}

export function summaryText(summary: StateSummary): string {
  const keys = ['subtasks_completed', 'subtasks_failed', 'dead_ends'] as const;
  return `State summary: {\n${keys.map((key) => `  '${key}': ${summary[key]}`).join(',\n')}\n}`;
}
