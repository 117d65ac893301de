import { pythonList, summaryText } from './python-text.ts';
import type { ResearchEventBody, SolveEventBody } from '../../protocol/events.ts';

const types = new Set<string>([
  'attachment',
  'phase',
  'analysis',
  'subtasks',
  'subtask started',
  'subtask completed',
  'subtask failed',
  'retry round',
  'new plan round',
  'round ended',
  'solution',
  'validation',
  'state summary',
] satisfies Array<SolveEventBody['type']>);

export const isSolving = (event: ResearchEventBody | SolveEventBody): event is SolveEventBody =>
  types.has(event.type);

/** How many missing requirements the log names. */
const namedRequirements = 2;

/** Phases by their numbers. The document names the fourth, which carries out the plan. */
const phases = { 'QUERY ANALYSIS': 1, PLANNING: 3, EXECUTION: 4, 'SYNTHESIS AND VALIDATION': 5 } as const;

/** What the log says of a plan's execution. The lines of the document "Retry Optimization", Logging, stand as printed there. */
export function solveLines(event: SolveEventBody): string[] {
  switch (event.type) {
    case 'attachment':
      return [`📎 ${event.name} (${event.kind})${event.note === undefined ? '' : `: ${event.note}`}`];
    case 'phase':
      return [`=== Phase ${phases[event.phase]}: ${event.phase} ===`];
    case 'analysis':
      return [`The answer must hold: ${event.requirements.join('; ')}`];
    case 'subtasks':
      return event.subtasks.map(
        ({ dependsOn, description, id }) =>
          `${id}: ${description}${dependsOn.length === 0 ? '' : ` (after ${dependsOn.join(', ')})`}`,
      );
    case 'subtask started':
      return event.isRetry
        ? [`Retrying failed subtask: ${event.id} - ${shortened(event.description)}`]
        : [`Executing subtask: ${event.id} - ${shortened(event.description)}`];
    case 'subtask completed':
      return event.isRetry
        ? [`Successfully retried subtask: ${event.id}`]
        : [`✅ Completed subtask: ${event.id}`];
    case 'subtask failed':
      return [
        `❌ Failed subtask: ${event.id} (${event.error})`,
        ...(event.isRetry ? [`Dead end: ${event.id} has failed again`] : []),
      ];
    case 'retry round':
      return [
        `Found ${event.ids.length} failed subtask(s) to retry: ${pythonList(event.ids)}`,
        '=== Phase 4 (RETRY): EXECUTE FAILED SUBTASKS ===',
      ];
    case 'new plan round':
      return [
        'No failed subtasks found. Creating additional subtasks for missing requirements...',
        `Creating improved plan to address: ${pythonList(event.missing, namedRequirements)}`,
        '=== Phase 4 (RETRY): EXECUTE NEW PLAN ===',
      ];
    case 'round ended':
      return [roundText(event.what, event.count)];
    case 'validation':
      return [
        event.isComplete
          ? `🔍 Validated: complete, quality ${event.quality}`
          : `🔍 Not validated: missing ${event.missingRequirements.join('; ') || 'something'}, quality ${event.quality}`,
      ];
    case 'state summary':
      return [summaryText(event.summary)];
    case 'solution':
      return [];
  }
}

function roundText(what: 'plan' | 'retry' | 'new plan', count: number): string {
  switch (what) {
    case 'plan':
      return `Plan execution complete: ${count} results`;
    case 'retry':
      return `Retry execution complete: ${count} subtask(s) retried`;
    case 'new plan':
      return `New plan execution complete: ${count} results`;
  }
}

/** Whole words, as many as the document's example shows of them, and its dots. */
function shortened(description: string): string {
  const [line = ''] = description.split('\n');
  const words = line.length <= 20 ? line : line.slice(0, 21).replace(/\s+\S*$/, '');
  return `${words.slice(0, 20).trimEnd()}...`;
}
