import type { PendingQuestion, Run, RunEvent } from '../../client.ts';
import { CommandError, Interruption } from '../exit.ts';
import type { Shell } from '../shell.ts';
import { promptBox } from './box.ts';
import type { Left } from './read-line.ts';

/**
 * Prompts for one thing that waits, until it waits no longer.
 *
 * @param words `name`: what it is called; `left`: what is said when the person leaves
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
  shell.tell(promptBox(shell, pending, plain));
  // Where nobody can tell, the prompt stays until the person has answered.
  const watched = untilClosed(run, pending.questionId, over.signal).then(() => closed.abort());
  watched.catch(() => {});
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

type Closing = Extract<RunEvent, { type: 'question_closed' | 'approval_resolved' }>;

export const isClosing = (event: RunEvent): event is Closing =>
  event.type === 'question_closed' || event.type === 'approval_resolved';
