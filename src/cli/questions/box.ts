import type { PendingQuestion } from '../../protocol/questions.ts';
import type { InboxQuestion } from '../../client.ts';
import { withoutEmoji } from '../../workflows/log-lines.ts';
import { harmless } from '../live/telling.ts';

const line = '='.repeat(70);
const thinLine = '─'.repeat(70);

/** What the prompt says, after the box. */
export const promptText = 'Your response (or Enter to skip): ';

/** The box for somebody who can type, as MassGen's documentation prints it ("Human Participation"). */
export function promptBox(question: PendingQuestion, plain: boolean): string {
  return boxOf(question, plain, ['Type your response and press Enter', 'Press Enter alone to skip']);
}

/** The box where nobody can type: it says what to type elsewhere. */
export function noticeBox(question: InboxQuestion, plain: boolean, temporal: string | undefined): string {
  const command = answerCommand(question, temporal);
  return boxOf(question, plain, [`To answer: ${command} "…"`, `To skip: ${command} --skip`]);
}

/** The beginning of the line that answers a question; what is missing is `"…"` or `--skip`. */
export function answerCommand(
  { workflowId, questionId }: Pick<InboxQuestion, 'workflowId' | 'questionId'>,
  temporal: string | undefined,
): string {
  return `reprise answer ${shellWord(workflowId)} --question ${shellWord(questionId)}${temporalOption(temporal)}`;
}

/** Repeats the address that a command was given, in a line to type. */
export const temporalOption = (temporal: string | undefined): string =>
  temporal === undefined ? '' : ` --temporal ${shellWord(temporal)}`;

/** A word as it is typed in a shell. */
export function shellWord(word: string): string {
  return /^[\w.:/@-]+$/.test(word) ? word : `'${harmless(word).replaceAll("'", `'\\''`)}'`;
}

/** Whole seconds that are left for an answer. */
export function secondsLeft({ expiresAt }: PendingQuestion): number {
  return Math.max(0, Math.ceil((Date.parse(expiresAt) - Date.now()) / 1000));
}

function boxOf(question: PendingQuestion, plain: boolean, options: string[]): string {
  const box = [
    line,
    `📢 BROADCAST FROM ${question.from.toUpperCase()}`,
    line,
    '',
    question.question,
    '',
    thinLine,
    'Options:',
    ...options.map((option) => `  • ${option}`),
    `  • You have ${secondsLeft(question)} seconds to respond`,
    line,
  ].join('\n');
  return harmless(plain ? withoutEmoji(box) : box);
}
