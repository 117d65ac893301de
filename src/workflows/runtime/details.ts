import type { PendingQuestion } from '../../protocol/questions.ts';
import { researchDetails } from '../research/details.ts';
import { solveDetails } from '../plan-and-execute/details.ts';
import type { OrchestrationState, State } from '../../protocol/state.ts';
import type { Usage } from '../../protocol/usage.ts';

/**
 * A run at a glance as Markdown, for the "current details" of Temporal's Web UI:
 * headings and lists only, since it sets tables without padding.
 *
 * @param questions what waits for a person
 * @param workflowId the run's id, to say how to answer
 */
export function detailsOf(state: State, questions: PendingQuestion[], workflowId: string): string {
  return [
    ...questions.flatMap((question) => questionLines(question, workflowId)),
    ...detailsOfKind(state, workflowId),
    ...spentLines(state.usage),
  ].join('\n');
}

function detailsOfKind(state: State, workflowId: string): string[] {
  if ('planning_iteration' in state) return researchDetails(state, workflowId);
  return 'subtasks' in state ? solveDetails(state) : teamDetails(state);
}

function teamDetails(state: OrchestrationState): string[] {
  const { agents, attempt, maxAttempts, phase, restarts, selectedAgent } = state;
  return [
    `### Attempt ${attempt}/${maxAttempts}: ${phase}`,
    ...agents.map(agentLine),
    ...(selectedAgent === null ? [] : ['', `Final agent: **${selectedAgent}**`]),
    ...restarts.flatMap((restart) => [
      '',
      `### Restart after attempt ${restart.attempt}`,
      '',
      `> ${restart.reason.replaceAll('\n', '\n> ')}`,
    ]),
  ];
}

function spentLines(usage: Usage | null): string[] {
  if (usage === null) return [];
  const tokens = usage.inputTokens + usage.outputTokens;
  return ['', '### Spent', `- ${usage.calls} calls, ${tokens} tokens`, `- $${usage.costUsd.toFixed(4)}`];
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
