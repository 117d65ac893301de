import type { PendingQuestion } from '../../protocol/questions.ts';
import type { Usage } from '../../protocol/usage.ts';

/**
 * A run at a glance as Markdown, for the "current details" of Temporal's Web UI. It uses headings and lists only, since
 * the Web UI shows tables without padding.
 *
 * @param questions the questions that wait for a person, who is told how to answer
 * @param lines what the workflow type shows
 */
export function detailsOf(
  questions: PendingQuestion[],
  lines: string[],
  usage: Usage | null,
  workflowId: string,
): string {
  const asked = questions.flatMap((question) => questionLines(question, workflowId));
  return [...asked, ...lines, ...usageLines(usage)].join('\n');
}

/** An identifier such as `timed_out` in words. */
export const inWords = (identifier: string): string => identifier.replaceAll('_', ' ');

/** Text as a Markdown quotation. */
export const quotation = (text: string): string => `> ${text.replaceAll('\n', '\n> ')}`;

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

function usageLines(usage: Usage | null): string[] {
  if (usage === null) return [];
  const tokens = usage.inputTokens + usage.outputTokens;
  return [
    '',
    '### Spent',
    `- ${counted(usage.calls, 'call')}, ${counted(tokens, 'token')}`,
    `- $${usage.costUsd.toFixed(4)}`,
  ];
}

function questionLines({ from, question, expiresAt }: PendingQuestion, workflowId: string): string[] {
  return [
    `### ${from} asks a person`,
    '',
    quotation(question),
    '',
    `It waits until ${expiresAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}.`,
    '',
    'Answer it with the signal `answer` (menu "Send a Signal"), whose input is `{"answer": "…"}`; ' +
      `an empty answer skips. Or: \`reprise answer ${workflowId} "…"\``,
    '',
  ];
}
