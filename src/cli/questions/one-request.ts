import type { PendingQuestion, Reprise, Run, RunEvent } from '../../client.ts';
import { printable } from '../../util/text/printable.ts';
import { CommandError, Interruption, usageError } from '../exit.ts';
import type { Shell } from '../shell.ts';
import { promptBox } from './box.ts';
import type { Left } from './read-line.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { isPassing } from '../../client/snapshot.ts';

/** What a person means: it waits, has closed, or could not be looked up. */
export interface Meant {
  questionId: string;
  /** Absent where it has closed, or could not be looked up. */
  pending?: PendingQuestion;
  /** Whether no worker could say anything about it. */
  isUnchecked?: boolean;
}

/**
 * Finds what a person means. Where no worker can tell, what is named is taken as it is.
 *
 * @param unknown what cannot be done then where nothing is named
 * @throws `CommandError`
 */
export async function lookUp(
  { client }: Reprise,
  run: Run,
  named: string | undefined,
  unknown: string,
  find: (run: Run, named: string | undefined) => Promise<Meant>,
): Promise<Meant> {
  const found = await patiently(client, () => find(run, named));
  if (found !== undefined) return found;
  if (named !== undefined) return { questionId: named, isUnchecked: true };
  throw new CommandError(`No worker answers for ${run.id}, so that ${unknown}`);
}

/** The one that is named, or else the only one of those to choose from. @throws `CommandError`, status 2, if these are several */
export function chosenOf(
  pending: PendingQuestion[],
  choices: PendingQuestion[],
  named: string | undefined,
  several: string,
): PendingQuestion | undefined {
  if (named !== undefined) return pending.find(({ questionId }) => questionId === named);
  if (choices.length > 1) throw usageError(`${several}:\n${listOf(choices)}`);
  return choices[0];
}

/** That there is nothing of a name, with what there is. */
export function unknownText(what: string, pending: PendingQuestion[]): string {
  return `${what}; ${pending.length === 0 ? 'none waits' : `those that wait:\n${listOf(pending)}`}`;
}

const listOf = (pending: PendingQuestion[]): string =>
  pending.map(({ questionId, from, question }) => printable(`  ${questionId} (${from}): ${question}`)).join('\n');

/**
 * Prompts for one thing that waits, until it waits no longer.
 *
 * @param words `name`: what it is called; `left`: what is said when the person leaves
 * @param read shows the prompt, which the signal removes
 * @throws `CommandError`; `Interruption`
 */
export async function promptFor<Entered extends { kind: 'line' | 'decision' }>(
  shell: Shell,
  run: Run,
  pending: PendingQuestion,
  { left, name, plain = false }: { left: string; name: string; plain?: boolean | undefined },
  read: (closed: AbortSignal) => Promise<Entered | Left>,
): Promise<Entered> {
  const closed = new AbortController();
  const over = new AbortController();
  shell.say(promptBox(shell, pending, plain));
  // Where nobody can tell, the prompt stays until the person has answered.
  void untilClosed(run, pending.questionId, over.signal).then(
    () => closed.abort(),
    () => undefined,
  );
  const entered = await read(closed.signal).finally(() => over.abort());
  if (entered.kind === 'line' || entered.kind === 'decision') return entered;
  if (entered.kind === 'withdrawn') throw new CommandError(`${name} waits no longer`);
  shell.say(left);
  throw new Interruption();
}

/** Waits until something waits no longer, its run has ended, or nobody waits for that any more. */
async function untilClosed(run: Run, id: string, over: AbortSignal): Promise<void> {
  for await (const { events } of run.watch())
    if (over.aborted || events.some((event) => isClosing(event) && event.questionId === id)) return;
}

/** Whether an event says that something waits no longer. */
export const isClosing = (event: RunEvent): event is Closing =>
  event.type === 'question_closed' || event.type === 'approval_resolved';

type Closing = Extract<RunEvent, { type: 'question_closed' | 'approval_resolved' }>;

/**
 * How long it may take until a worker tells which questions wait, in milliseconds. When a worker has just died, the server
 * holds the first query for it for ten seconds, although another one has taken its place.
 */
const patience = 30_000;

/** Asks a run's worker something. @returns undefined where no worker answers @throws what the asking throws else */
async function patiently<T>(client: Reprise['client'], ask: () => Promise<T>): Promise<T | undefined> {
  const until = Date.now() + patience;
  for (;;) {
    try {
      return await client.withDeadline(until, ask);
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (Date.now() >= until) return undefined;
      // A worker that stands in for a dead one may take some seconds to begin.
      await pause(500);
    }
  }
}
