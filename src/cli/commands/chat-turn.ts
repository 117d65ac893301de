import { WorkflowNotFoundError } from '@temporalio/client';
import { createInterface } from 'node:readline';
import type { EventCursor, SessionRun, TurnResult } from '../../client.ts';
import { isPassing } from '../../client/snapshot.ts';
import { problemsOf, problemText } from '../../config/problems.ts';
import { sessionInputSchema } from '../../config/inputs.ts';
import { usageError } from '../exit.ts';
import { show } from '../follow.ts';
import type { FollowOptions } from '../options.ts';
import { writeFiles } from '../out.ts';
import { temporalOption, watchCommand } from '../questions/box.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import { readLine } from '../questions/read-line.ts';
import type { Shell } from '../shell.ts';

/** Checks what a person says. @throws `CommandError`, status 2, where no session would take the text */
export function checkText(text: string): void {
  if (text.trim() === '') throw usageError('TEXT is empty');
  const problems = problemsIn('text', text, 'TEXT');
  if (problems.length > 0) throw usageError(problems.join('\n'));
}

/** What is wrong with a part of a session's input. @param name what the person calls it */
export function problemsIn(part: 'text' | 'history', value: unknown, name: string): string[] {
  const schema = sessionInputSchema.shape[part];
  const { error } = schema.safeParse(value);
  return error === undefined ? [] : problemsOf(schema, error, value).map((problem) => problemText(problem, name));
}

/**
 * Takes one turn: shows it while it goes on, and prints its answer. Ctrl-C ends the command, but not the turn; where the person
 * has just typed the text (`isChat`), it ends the turn, and only a second one the command.
 *
 * @throws where the turn failed; `Interruption` where the person leaves
 */
export async function takeTurn(
  shell: Shell,
  session: SessionRun,
  text: string,
  options: FollowOptions,
  isChat = false,
): Promise<void> {
  checkText(text);
  const after = await placeOf(session);
  await followTurn(shell, session, after, session.send(text), options, isChat);
}

async function followTurn(
  shell: Shell,
  session: SessionRun,
  after: EventCursor | undefined,
  turn: Promise<Pick<TurnResult, 'answer' | 'workspace'>>,
  options: FollowOptions,
  isChat: boolean,
): Promise<void> {
  let isStopped = !isChat;
  const stop = (): string | undefined => {
    if (isStopped) return undefined;
    isStopped = true;
    // One that has ended meanwhile has its answer.
    session.stopTurn().catch(() => {});
    return 'Ending the turn; Ctrl-C again leaves the conversation';
  };
  const where = { until: turn, ...(after !== undefined && { after }) };
  await show(shell, session, options, { goodbye: goodbye(session, options), isChat, stay: stop, ...where });
  const result = await turn;
  // Between what was typed and what was answered there is an empty line, as in a conversation on paper.
  if (isChat) shell.say('');
  await (options.json ? shell.printJson(result) : shell.printText(result.answer));
  if (options.out !== undefined) await writeFiles(shell, session.id, result.workspace, options.out);
  if (isChat) shell.say('');
}

/** Shows what was said last in a session that is open; where that has no answer yet, it is followed. */
export async function showLast(shell: Shell, session: SessionRun, options: FollowOptions): Promise<void> {
  const after = await placeOf(session);
  const events = after === undefined ? [] : await session.events();
  const turn = events.findLast((event) => event.type === 'turn');
  if (after === undefined || turn === undefined) return;
  shell.say(`> ${turn.text}\n`);
  const final = events.findLast((event) => event.type === 'final');
  if (final !== undefined && final.seq > turn.seq) return shell.say(`${final.answer}\n`);
  const since = { runId: after.runId, seq: turn.seq };
  await followTurn(shell, session, since, endOf(session, since), options, true);
}

async function endOf(session: SessionRun, after: EventCursor): Promise<{ answer: string }> {
  for await (const { events } of session.watch({ after })) {
    const final = events.find((event) => event.type === 'final');
    if (final !== undefined) return final;
  }
  return { answer: '' };
}

export const goodbye = ({ id }: SessionRun, options: FollowOptions): string =>
  `The session goes on. See it with: ${watchCommand(id, options)}\nContinue it with: ${chatCommand(id, options)}`;

export const chatCommand = (id: string, { temporal }: FollowOptions): string =>
  `reprise chat --id ${shellWord(id)}${temporalOption(temporal)}`;

/** How far the session has come, since what was said before is not shown again; undefined where nobody can tell. */
async function placeOf(session: SessionRun): Promise<EventCursor | undefined> {
  try {
    return await session.cursor();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || isPassing(error)) return undefined;
    throw error;
  }
}

/** The lines that a person types, or those of standard input. @param onInterrupt is called at the second Ctrl-C */
export function openLines(shell: Shell, onInterrupt: () => never): AsyncIterable<string> {
  return shell.canPrompt ? typedLines(shell, onInterrupt) : createInterface({ input: shell.stdin });
}

async function* typedLines(shell: Shell, onInterrupt: () => never): AsyncGenerator<string> {
  const history: string[] = [];
  let wasInterrupted = false;
  for (;;) {
    const entered = await readLine(shell, '> ', { history });
    if (entered.kind === 'interrupt') {
      if (wasInterrupted) onInterrupt();
      wasInterrupted = true;
      shell.say('Ctrl-C again leaves the conversation, Ctrl-D ends it');
      continue;
    }
    wasInterrupted = false;
    if (entered.kind !== 'line') return;
    const texts = [entered.text, ...entered.more];
    history.unshift(...texts.filter((text) => text.trim() !== '').toReversed());
    yield* texts;
  }
}
