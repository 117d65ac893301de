import type { InboxQuestion, PendingQuestion, Run, RunEvent } from '../../client.ts';
import { decisionIn, type ToolDecision } from '../../protocol/tools/permissions.ts';
import { argumentsIn } from '../../workflows/agent/arguments.ts';
import { CommandError, Interruption } from '../exit.ts';
import type { Shell } from '../shell.ts';
import { promptBox } from './box.ts';
import { readLine, type Left } from './read-line.ts';

/**
 * Prompts for one thing that waits, until it waits no longer. @throws `CommandError`; `Interruption`
 *
 * @param words `name`: what it is called; `left`: what is said when the person leaves
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

export type Decided = { kind: 'decision'; decision: ToolDecision } | Left;

const prompt = 'Allow it? (y, n, n REASON, e to edit, always): ';

const hint =
  'Type y to allow it, n or n REASON to deny it, e to edit its arguments, always to allow it for all of this run';

/** Prompts until a person has decided about a tool call. Enter alone decides nothing. */
export async function readDecision(shell: Shell, asked: InboxQuestion, withdrawn: AbortSignal): Promise<Decided> {
  const { arguments: given = '', questionId: id } = asked;
  for (;;) {
    const entered = await readLine(shell, prompt, { withdrawn });
    if (entered.kind !== 'line') return entered;
    if (/^e(?:dit)?$/i.test(entered.text.trim())) {
      const initial = argumentsIn(given) && { initial: given.replaceAll(/\n\s*/g, ' ') };
      const edited = await readLine(shell, 'Arguments as JSON: ', { withdrawn, ...initial });
      if (edited.kind !== 'line') return edited;
      const { editedArguments } = await import('../../client/edited.ts');
      const checked = editedArguments(edited.text, asked);
      if (typeof checked !== 'string')
        return { kind: 'decision', decision: { id, action: 'edit', arguments: checked } };
      shell.say(checked);
      continue;
    }
    const decision = decisionIn(entered.text);
    if (decision !== undefined) return { kind: 'decision', decision: { id, ...decision } };
    shell.say(hint);
  }
}
