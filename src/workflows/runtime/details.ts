import type { PendingQuestion } from '../../protocol/questions.ts';
import type { Usage } from '../../protocol/usage.ts';
import { utcText } from './duration.ts';
import { cutToBytes, shortened } from './size.ts';

/**
 * A run at a glance as Markdown, for the "current details" of Temporal's Web UI. It has no tables, which the Web UI shows
 * without padding, and no fractions such as 1/3, which it sets as one. Its beginning stands in for the summary that whoever
 * starts a run may give it, since a workflow cannot set that.
 */
export function detailsOf({ answer, asked, lines, pending, usage, workflowId }: Shown): string {
  const summary = asked === undefined ? [] : ['### Asked', '', quotation(firstLine(asked)), ''];
  const waiting = pending.flatMap((each) => pendingLines(each, workflowId));
  const answered = answer === undefined ? [] : ['### Answer', '', quotation(answer), ''];
  return [...summary, ...waiting, ...answered, ...lines, ...usageLines(usage)].join('\n');
}

interface Shown {
  /** What the run was asked; undefined before it is known. */
  asked: string | undefined;
  pending: PendingQuestion[];
  /** The run's answer, or the last one of a session; undefined before there is one. */
  answer: string | undefined;
  lines: string[];
  usage: Usage | null;
  workflowId: string;
}

const firstLine = (text: string): string => shortened(text.trim().split('\n')[0] ?? '', 200);

export const inWords = (identifier: string): string => identifier.replaceAll('_', ' ');

/** The longest quoted text in bytes: the Web UI sends all details in one address to a server that takes a megabyte. */
const quoted = 30_000;

/** A text as a Markdown quotation, cut if it is long. Whatever it opens ends with it. A return alone ends a line too. */
export const quotation = (text: string, bytes = quoted): string =>
  `> ${withoutTags(cutToBytes(text, bytes)).replaceAll(/\r\n?|\n/g, '\n> ')}`;

/** A text that comes from elsewhere within a line of Markdown, where a line of its own could begin a heading. */
export const inline = (text: string): string => withoutTags(text.trim().replaceAll(/\s+/g, ' '));

/**
 * Makes HTML in a text plain words by a character that nobody sees. The Web UI forbids its page to load anything or to run
 * scripts, but leaves HTML as it is, so that a tag could end the quotation.
 */
const withoutTags = (text: string): string => text.replaceAll(/<(?=[a-z/!?])/gi, '<\u200B');

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

function pendingLines(pending: PendingQuestion, workflowId: string): string[] {
  const { arguments: given = '', expiresAt, from, kind, question, questionId, tool = '' } = pending;
  const until = expiresAt === null ? '' : `It waits until ${utcText(expiresAt)}.`;
  const [title, asked, how] = {
    question: [
      `${from} asks a person`,
      quotation(question, 10_000),
      'Answer it with the signal `answer` (menu "Send a Signal"), whose input is `{"answer": "…"}`; ' +
        `an empty answer skips. Or: \`reprise answer ${workflowId} "…"\``,
    ],
    approval: [
      'It waits for a person to decide',
      quotation(question),
      'Send the signal `decide` (menu "Send a Signal"), whose input is `{"action": "accept"}` or `{"action": "stop"}`, or ' +
        'the signal `requestRestart` with `{"reason": "…", "instructions": "…"}`. ' +
        `Or: \`reprise decide ${workflowId} --accept\``,
    ],
    tool: [
      `${inline(from)} asks for approval to run ${inline(tool)}`,
      // As code, since JSON may hold Markdown. No line of it can be the fence that ends it.
      quotation(`\`\`\`json\n${given}\n\`\`\``, 10_000),
      `Send the signal \`approve\` (menu "Send a Signal"), whose input is \`{"id": "${questionId}", "action": "allow"}\`, ` +
        `\`{"id": "${questionId}", "action": "deny", "reason": "…"}\`, or to change the arguments ` +
        `\`{"id": "${questionId}", "action": "edit", "arguments": {…}}\`; with \`"always": true\` it holds for all of ` +
        `this run. Or: \`reprise approve ${workflowId} ${questionId} --allow\``,
    ],
    key: [
      `It ${question} (${from})`,
      '',
      `${questionId.startsWith('login-') ? 'Log in where the worker runs' : 'Start a worker that has it'}; ` +
        'the run goes on by itself. To go on without, send the signal `answer` (menu ' +
        `"Send a Signal") with \`{"questionId": "${questionId}", "answer": ""}\`.`,
    ],
  }[kind] as [string, string, string];
  return [`### ${title}`, ...[asked, until, how].flatMap((part) => (part === '' ? [] : ['', part])), ''];
}
