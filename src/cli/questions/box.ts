import { askedText, type PendingQuestion } from '../../protocol/questions.ts';
import type { InboxQuestion } from '../../client.ts';
import { withoutEmoji } from '../../workflows/log-lines.ts';
import { durationText } from '../../workflows/runtime/duration.ts';
import { printable } from '../../util/text/printable.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import { screenOf, wrapped } from '../live/screen.ts';
import { remedyOf } from '../../client/show/kinds.ts';
import { countText } from '../../client/show/spent.ts';
import type { CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';

const fullWidth = 70;

export const promptText = 'Your response (or Enter to skip): ';

const leaving = 'Ctrl-D leaves it waiting; Ctrl-C leaves, and the run goes on.';

/** As MassGen's documentation prints it ("Human Participation"), after how to leave. */
export function promptBox(shell: Shell, question: PendingQuestion, plain: boolean): string {
  const ways =
    question.kind === 'tool'
      ? ['y allows it, always does so for all of this run', 'n or n REASON denies it', 'e changes its arguments']
      : ['Type your response and press Enter', 'Press Enter alone to skip'];
  return `${leaving}\n${boxOf(shell, question, plain, ways)}`;
}

/** The box where nobody can type an answer: it names the commands that give one. */
export function noticeBox(shell: Shell, question: InboxQuestion, plain: boolean, temporal: string | undefined): string {
  if (question.kind === 'tool') {
    const command = approveCommand(question, temporal);
    return boxOf(shell, question, plain, [`To allow: ${command} --allow`, `To deny: ${command} --deny "…"`]);
  }
  const command = answerCommand(question, temporal);
  return boxOf(shell, question, plain, [`To answer: ${command} "…"`, `To skip: ${command} --skip`]);
}

type Waiting = Pick<InboxQuestion, 'workflowId' | 'questionId'>;

/** The beginning of the command that answers a question; the answer or `--skip` must follow. */
export const answerCommand = ({ workflowId, questionId }: Waiting, temporal: string | undefined): string =>
  `reprise answer ${shellWord(workflowId)} --question ${shellWord(questionId)}${temporalOption(temporal)}`;

export const approveCommand = ({ workflowId, questionId }: Waiting, temporal: string | undefined): string =>
  `reprise approve ${shellWord(workflowId)} ${shellWord(questionId)}${temporalOption(temporal)}`;

export const watchCommand = (id: string, { temporal }: CommonOptions): string =>
  `reprise watch ${shellWord(id)}${temporalOption(temporal)}`;

export const cancelCommand = (id: string, { temporal }: CommonOptions): string =>
  `reprise cancel ${shellWord(id)}${temporalOption(temporal)}`;

/** The option that repeats, in a command to type, the address that the present command was given. */
export const temporalOption = (temporal: string | undefined): string =>
  temporal === undefined ? '' : ` --temporal ${shellWord(temporal)}`;

/** Up to which length the box counts in seconds. */
const shortMs = 600_000;

/** How long there is left for an answer, as in `23 h 59 min`; undefined for what may wait for ever. */
export const timeLeft = ({ expiresAt }: PendingQuestion): string | undefined =>
  expiresAt === null ? undefined : durationText(Date.parse(expiresAt) - Date.now());

const boxTime = (left: number): string =>
  left <= shortMs ? countText(Math.max(0, Math.ceil(left / 1000)), 'second') : durationText(left);

function boxOf({ stderr, typed }: Shell, question: PendingQuestion, plain: boolean, options: string[]): string {
  const { isTTY = false } = stderr;
  const width = isTTY ? Math.min(fullWidth, screenOf(stderr).columns) : fullWidth;
  const line = '='.repeat(width);
  const text = printable(askedText(question));
  const { expiresAt, from, kind, tool = '' } = question;
  const left = expiresAt === null ? undefined : Date.parse(expiresAt) - Date.now();
  const title =
    kind === 'tool' ? `🔒 ${from} ASKS FOR APPROVAL TO RUN ${tool}` : `📢 BROADCAST FROM ${from.toUpperCase()}`;
  const box = [
    line,
    title,
    line,
    '',
    ...(isTTY ? wrapped(text, width) : [text]),
    '',
    '─'.repeat(width),
    'Options:',
    ...options.map((option) => `  • ${typed(option)}`),
    ...(left === undefined ? [] : [`  • You have ${boxTime(left)} to respond`]),
    line,
  ].join('\n');
  return printable(plain ? withoutEmoji(box) : box);
}

export function waysToSettle(waiting: InboxQuestion, temporal: string | undefined): string[] {
  const answer = answerCommand(waiting, temporal);
  const rest = `${shellWord(waiting.workflowId)}${temporalOption(temporal)}`;
  switch (waiting.kind) {
    case 'approval':
      return [
        `reprise decide ${rest} --accept`,
        `reprise decide ${rest} --stop`,
        `reprise restart ${rest} --reason "…" --instructions "…"`,
      ];
    case 'key':
      return [remedyOf(waiting), `to go on without it: ${answer} --skip`];
    case 'tool': {
      const approve = approveCommand(waiting, temporal);
      return [`${approve} --allow`, `${approve} --always`, `${approve} --deny "…"`, `${approve} --edit '{…}'`];
    }
    default:
      return [`${answer} "…"`];
  }
}
