import { WorkflowNotFoundError } from '@temporalio/client';
import { createInterface } from 'node:readline';
import type { EventCursor, SessionRun } from '../../client.ts';
import { isPassing } from '../../client/snapshot.ts';
import { revive } from '../connection.ts';
import { problemsOf, problemText } from '../../config/problems.ts';
import { sessionInputSchema } from '../../config/inputs.ts';
import { exitStatus, print, say, usageError } from '../exit.ts';
import { Following, watchCommand } from '../follow.ts';
import type { FollowOptions } from '../options.ts';
import { shellWord, temporalOption } from '../questions/box.ts';
import { canPrompt, readLine } from '../questions/read-line.ts';

/** @throws `CommandError`, status 2, where no session would take the text */
export function checkText(text: string): void {
  if (text.trim() === '') throw usageError('TEXT is empty');
  const schema = sessionInputSchema.shape.text;
  const { error } = schema.safeParse(text);
  if (error !== undefined)
    throw usageError(
      problemsOf(schema, error, text)
        .map((problem) => problemText(problem, 'TEXT'))
        .join('\n'),
    );
}

/** Takes one turn: shows it while it goes on, and prints its answer. Ctrl-C leaves; the turn goes on. */
export async function takeTurn(session: SessionRun, text: string, options: FollowOptions): Promise<void> {
  checkText(text);
  const after = await placeOf(session);
  const following = new Following(
    session,
    options,
    () => revive(options),
    () => leave(session, options),
  );
  const turn = session.send(text);
  try {
    await following.show({ until: turn, ...(after !== undefined && { after }) });
  } finally {
    following.close();
  }
  const result = await turn;
  await print(options.json ? JSON.stringify(result) : result.answer);
}

/** Leaves a session that goes on. */
export function leave({ id }: SessionRun, options: FollowOptions): never {
  say(`The session goes on. See it with: ${watchCommand(id, options)}\nContinue it with: ${chatCommand(id, options)}`);
  process.exit(exitStatus.interrupted);
}

/** The line to type that continues a session. */
export const chatCommand = (id: string, { temporal }: FollowOptions): string =>
  `reprise chat --id ${shellWord(id)}${temporalOption(temporal)}`;

/** What was said before this turn is not shown again. Where nobody can tell how much that is, all of it is. */
async function placeOf(session: SessionRun): Promise<EventCursor | undefined> {
  try {
    return await session.cursor();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || isPassing(error)) return undefined;
    throw error;
  }
}

/** Where a person's lines come from, one for each turn. */
interface Lines {
  /** The next line; nothing when there are no more, `interrupt` at Ctrl-C. */
  next(): Promise<{ line: string } | 'interrupt' | undefined>;
}

/** Lines as they are typed on the terminal, or as they come by standard input. */
export function openLines(): Lines {
  return canPrompt() ? new TypedLines() : new PipedLines();
}

class TypedLines implements Lines {
  readonly #pasted: string[] = [];
  readonly #earlier: string[] = [];

  async next() {
    const pasted = this.#pasted.shift();
    if (pasted !== undefined) return { line: pasted };
    const entered = await readLine('> ', { history: this.#earlier });
    if (entered.kind === 'interrupt') return entered.kind;
    if (entered.kind !== 'line') return undefined;
    this.#pasted.push(...entered.more);
    if (entered.text.trim() !== '') this.#earlier.unshift(entered.text);
    return { line: entered.text };
  }
}

class PipedLines implements Lines {
  // Lines that come before they are asked for are kept only by an iterator that is there already.
  readonly #lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

  async next() {
    const { done, value } = await this.#lines.next();
    return done ? undefined : { line: value };
  }
}
