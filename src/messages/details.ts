import type { PendingQuestion } from './broadcast.ts';
import type { OrchestrationState } from './state.ts';

/**
 * A run at a glance as Markdown, for the "current details" of Temporal's Web UI:
 * headings and lists only, since it sets tables without padding.
 *
 * @param questions what waits for a person
 * @param workflowId the run's id, to say how to answer
 */
export function detailsOf(
  state: OrchestrationState,
  questions: PendingQuestion[],
  workflowId: string,
): string {
  const { agents, attempt, maxAttempts, phase, restarts, selectedAgent, usage } = state;
  return [
    ...questions.flatMap((question) => questionLines(question, workflowId)),
    `### Attempt ${attempt}/${maxAttempts}: ${phase}`,
    ...agents.map(agentLine),
    ...(selectedAgent === null ? [] : ['', `Final agent: **${selectedAgent}**`]),
    ...restarts.flatMap((restart) => [
      '',
      `### Restart after attempt ${restart.attempt}`,
      '',
      `> ${restart.reason.replaceAll('\n', '\n> ')}`,
    ]),
    ...(usage === null
      ? []
      : [
          '',
          '### Spent',
          `- ${usage.calls} calls, ${usage.inputTokens + usage.outputTokens} tokens`,
          `- $${usage.costUsd.toFixed(4)}`,
        ]),
  ].join('\n');
}

function questionLines({ from, question, expiresAt }: PendingQuestion, workflowId: string): string[] {
  return [
    `### ${from} asks a person`,
    '',
    `> ${question.replaceAll('\n', '\n> ')}`,
    '',
    `It waits until ${expiresAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}.`,
    '',
    'Answer it with the signal `answer` (menu "Send a Signal"), whose input is `{"answer": "…"}`; ' +
      `an empty answer skips. Or: \`reprise answer ${workflowId} "…"\``,
    '',
  ];
}

function agentLine({ id, state, answers, vote }: OrchestrationState['agents'][number]): string {
  const given = answers > 1 ? `, ${answers} answers` : '';
  return `- **${id}**: ${state}${vote === null ? '' : ` for ${vote}`}${given}`;
}
