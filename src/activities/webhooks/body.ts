import type { Notification } from '../../protocol/notify.ts';
import type { NotifyEntry } from '../../protocol/settings.ts';
import type { Environment } from '../../util/environment.ts';
import { printable } from '../../util/text/printable.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import { utcText } from '../../workflows/runtime/duration.ts';
import { beginningOf } from '../../workflows/runtime/size.ts';

type Told = Notification['data'];

export function bodyOf(format: NotifyEntry['format'], notification: Notification, environment: Environment): string {
  const { data, timestamp, type } = notification;
  const base = environment['REPRISE_PUBLIC_URL']?.replace(/\/+$/, '');
  const url = base === undefined ? undefined : `${base}${pageOf(data)}`;
  const where = url === undefined ? { command: commandFor(data) } : { url };
  return JSON.stringify(
    format === 'slack' ? { text: slackText(data, where) } : { type, timestamp, data: { ...data, ...where } },
  );
}

function pageOf(data: Told): string {
  const run = `/runs/${encodeURIComponent(data.workflowId)}`;
  return 'outcome' in data ? run : `${run}/answer/${encodeURIComponent(data.questionId)}`;
}

function commandFor(data: Told): string {
  const id = shellWord(data.workflowId);
  if ('outcome' in data) return `reprise show ${id}`;
  if (data.kind === 'tool') return `reprise approve ${id} ${shellWord(data.questionId)}`;
  if (data.kind === 'approval') return `reprise decide ${id} --accept`;
  return `reprise answer ${id} --question ${shellWord(data.questionId)}`;
}

/** Slack takes 3,000 characters, as they are written for it. */
const maxChars = 2000;

/** In Slack's mrkdwn, where what comes from models and people stands as a quotation. */
function slackText(data: Told, { command, url }: { command?: string; url?: string }): string {
  const [title, text] =
    'outcome' in data
      ? [`Ended (${data.outcome})`, data.answer]
      : [
          `${data.from} waits for a person${data.expiresAt === null ? '' : ` until ${utcText(data.expiresAt)}`}`,
          [data.question, data.arguments].filter(Boolean).join('\n'),
        ];
  const way = url === undefined ? `\`${escaped(command ?? '')}\`` : `<${url}|Look and answer>`;
  const heading = [title, `run ${data.workflowId}`, data.task].map((part) => cut(escaped(part), 200)).join(' · ');
  return `${heading}\n${cut(escaped(text), maxChars).replaceAll(/^/gm, '> ')}\n${way}`;
}

/** Nothing in it is a link, a channel or a mention, or shows in another order than it has. */
const escaped = (text: string): string =>
  printable(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const cut = (text: string, characters: number): string =>
  text.length <= characters ? text : `${beginningOf(text, characters).replace(/&[a-z]*$/, '')}…`;
