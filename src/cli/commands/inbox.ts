import { setTimeout as pause } from 'node:timers/promises';
import type { InboxQuestion, Reprise } from '../../client.ts';
import { fewWords } from '../../client/names.ts';
import { isPassing } from '../../client/snapshot.ts';
import { open, withConnection } from '../connection.ts';
import { Interruption, usageError } from '../exit.ts';
import { reasonOf } from '../failures.ts';
import { askedText } from '../../protocol/questions.ts';
import { printable } from '../../util/text/printable.ts';
import type { FollowOptions } from '../options.ts';
import { timeLeft, waysToSettle } from '../questions/box.ts';
import { notify } from '../questions/notify.ts';
import type { Shell } from '../shell.ts';
import { body, columnsOf, wrapped } from '../show/layout.ts';

type InboxOptions = FollowOptions & { watch?: boolean };

/** How long after a look the next one follows, in milliseconds: it asks every run that waits, which may be a thousand. */
const pauseAfter = (lookMs: number): number => Math.min(Math.max(1000, 9 * lookMs), 10_000);

export async function inbox(shell: Shell, options: InboxOptions): Promise<void> {
  if (options.notify !== undefined && !options.watch)
    throw usageError('--notify is for questions to come; add --watch');
  await withConnection(open(shell, options), async ({ reprise }) => {
    if (options.watch) await watchInbox(shell, reprise, options);
    else await printInbox(shell, reprise, options);
  });
}

async function printInbox(shell: Shell, reprise: Reprise, { json, temporal }: InboxOptions): Promise<void> {
  const questions = await reprise.inbox((id, reason) => warnOf(shell, id, reason));
  if (json) await shell.printJson(questions);
  else if (questions.length === 0) shell.say('Nobody waits for a person');
  else await shell.print(questions.map((each) => textOf(each, shell, temporal)).join('\n\n'));
}

async function watchInbox(shell: Shell, reprise: Reprise, options: InboxOptions): Promise<void> {
  const interrupted = Promise.withResolvers<never>();
  const over = new AbortController();
  const ignore = shell.onSignal(['SIGINT'], () => interrupted.reject(new Interruption()));
  shell.say('Waiting for questions. Ctrl-C ends it.');
  try {
    await Promise.race([interrupted.promise, printNew(shell, reprise, options, over.signal)]);
  } finally {
    ignore();
    over.abort();
  }
}

async function printNew(
  shell: Shell,
  reprise: Reprise,
  { json, notify: command, temporal }: InboxOptions,
  over: AbortSignal,
): Promise<void> {
  const shown = new Set<string>();
  const warned = new Set<string>();
  let isAway = false;
  while (!over.aborted) {
    const startedAt = Date.now();
    try {
      const questions = await reprise.inbox((id, reason) => {
        if (!warned.has(id)) warnOf(shell, id, reason);
        warned.add(id);
      });
      isAway = false;
      for (const question of questions) {
        const { workflowId, questionId, askedAt } = question;
        warned.delete(workflowId);
        const key = JSON.stringify([workflowId, questionId, askedAt]);
        if (shown.has(key)) continue;
        shown.add(key);
        if (json) await shell.printJson(question);
        else await shell.print(`${textOf(question, shell, temporal)}\n`);
        if (command !== undefined) notify(shell, command, question, shell.say);
      }
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!isAway) shell.say(`Temporal does not answer (${reasonOf(error)}); still waiting`);
      isAway = true;
    }
    await pause(pauseAfter(Date.now() - startedAt));
  }
}

const warnOf = (shell: Shell, id: string, reason: Error): void =>
  shell.say(
    `Warning: the run ${printable(id)} waits for a person and does not tell its question (${reasonOf(reason)})`,
  );

/** What waits, in lines that fit into the width, and the commands that settle it, which stay whole to be copied. */
export function textOf(
  waiting: InboxQuestion,
  { stdout, typed }: Pick<Shell, 'stdout' | 'typed'>,
  temporal?: string,
): string {
  const { workflowId, questionId, from, kind, question, task = '' } = waiting;
  const left = timeLeft(waiting);
  const head = {
    question: `${from} asks (${questionId})${left === undefined ? '' : `, ${left} left`}`,
    approval: `${from} asks for approval`,
    tool: `${from} asks for approval (${questionId})${left === undefined ? '' : `, ${left} left`}`,
    key: `${typed(question)} (${from})`,
  }[kind];
  const columns = columnsOf(stdout);
  return [
    ...wrapped(printable(`${workflowId}${task === '' ? '' : ` (${fewWords(task)})`}: ${head}`), columns),
    ...(kind === 'key' ? [] : body(askedText(waiting), { columns })),
    ...waysToSettle(waiting, temporal).map((line) => `  ${typed(line)}`),
  ].join('\n');
}
