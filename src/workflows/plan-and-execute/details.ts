import type { SolveState, SubtaskReport } from '../../protocol/plan-and-execute.ts';

/** A plan's execution at a glance, for `detailsOf`. */
export function solveDetails({ attachments, max_retries, phase, retries, subtasks }: SolveState): string[] {
  return [
    `### ${phase}${retries === 0 ? '' : `, retry ${retries}/${max_retries}`}`,
    ...subtasks.map(subtaskLine),
    ...(attachments.length === 0
      ? []
      : ['', '### Attachments', ...attachments.map(({ kind, name }) => `- ${name} (${kind})`)]),
  ];
}

function subtaskLine({ description, error, executions, id, status }: SubtaskReport): string {
  const runs = executions > 1 ? `, ${executions} executions` : '';
  return `- **${id}**: ${status}${runs}: ${description}${error === undefined ? '' : ` (${error})`}`;
}
