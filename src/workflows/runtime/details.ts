import type { PendingQuestion } from '../../protocol/questions.ts';
import type { Usage } from '../../protocol/usage.ts';

/**
 * A run at a glance as Markdown, for the "current details" of Temporal's Web UI. It uses headings and lists only, since
 * the Web UI shows tables without padding.
 *
 * @param pending what waits for a person, who is told how to settle it
 * @param lines what the workflow type shows
 */
export function detailsOf(
  pending: PendingQuestion[],
  lines: string[],
  usage: Usage | null,
  workflowId: string,
): string {
  const asked = pending.flatMap((each) => pendingLines(each, workflowId));
  return [...asked, ...lines, ...usageLines(usage)].join('\n');
}

/** An identifier such as `timed_out` in words. */
export const inWords = (identifier: string): string => identifier.replaceAll('_', ' ');

/** Text as a Markdown quotation. */
export const quotation = (text: string): string => `> ${text.replaceAll('\n', '\n> ')}`;

function usageLines(usage: Usage | null): string[] {
  if (usage === null) return [];
  const tokens = usage.inputTokens + usage.outputTokens;
  return ['', '### Spent', `- ${usage.calls} calls, ${tokens} tokens`, `- $${usage.costUsd.toFixed(4)}`];
}

function pendingLines(pending: PendingQuestion, workflowId: string): string[] {
  const { expiresAt, from, kind, question } = pending;
  if (kind === 'approval') return approvalLines(question, workflowId);
  if (kind === 'key') return keyLines(pending);
  return [
    `### ${from} asks a person`,
    '',
    quotation(question),
    '',
    ...(expiresAt === null ? [] : [`It waits until ${expiresAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}.`]),
    '',
    'Answer it with the signal `answer` (menu "Send a Signal"), whose input is `{"answer": "…"}`; ' +
      `an empty answer skips. Or: \`reprise answer ${workflowId} "…"\``,
    '',
  ];
}

function approvalLines(question: string, workflowId: string): string[] {
  return [
    '### It waits for a person to decide',
    '',
    quotation(question),
    '',
    'Send the signal `decide` (menu "Send a Signal"), whose input is `{"action": "accept"}` or `{"action": "stop"}`, or ' +
      'the signal `requestRestart` with `{"reason": "…", "instructions": "…"}`. ' +
      `Or: \`reprise decide ${workflowId} --accept\``,
    '',
  ];
}

function keyLines({ from, question, questionId }: PendingQuestion): string[] {
  return [
    `### It ${question} (${from})`,
    '',
    'Start a worker that has it; the run goes on by itself. To go on without, send the signal `answer` (menu ' +
      `"Send a Signal") with \`{"questionId": "${questionId}", "answer": ""}\`.`,
    '',
  ];
}
