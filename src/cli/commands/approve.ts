import type { PendingQuestion, Reprise, Run, RunEvent } from '../../client.ts';
import type { ToolDecision } from '../../protocol/permissions.ts';
import { printable } from '../../util/printable.ts';
import { open, withConnection } from '../connection.ts';
import { CommandError, Interruption, usageError } from '../exit.ts';
import type { CommonOptions } from '../options.ts';
import { promptBox } from '../questions/box.ts';
import { approveCommand, editedArguments, readDecision } from '../questions/leave.ts';
import type { Shell } from '../shell.ts';
import { patiently } from './patiently.ts';

export interface ApproveOptions extends CommonOptions {
  allow?: boolean;
  /** The reason, or true where none is given. */
  deny?: string | true;
  /** JSON. */
  edit?: string;
  always?: boolean;
}

/** What the options decide, but for the call that it is about. */
type Given = Omit<ToolDecision, 'id'>;

/** `reprise approve ID [CALL]`: decides about a tool call that waits for leave. */
export async function approve(
  shell: Shell,
  id: string,
  named: string | undefined,
  options: ApproveOptions,
): Promise<void> {
  const given = givenDecision(shell, options);
  await withConnection(open(shell, options), async ({ reprise }) => {
    const run = reprise.getRun(id);
    await run.assertOpen();
    const waiting = await find(reprise, run, named);
    const decision = given === undefined ? await prompt(shell, run, waiting, options) : { id: idOf(waiting), ...given };
    await run.approve(decision);
    shell.say(sentText(run.id, decision, waiting));
  });
}

/** @returns undefined where the terminal must prompt @throws `CommandError`, status 2 */
function givenDecision(shell: Shell, { allow, always, deny, edit }: ApproveOptions): Given | undefined {
  const chosen = [allow, deny, edit].filter((each) => each !== undefined);
  if (chosen.length > 1) throw usageError('--allow, --deny and --edit exclude each other');
  if (edit !== undefined) {
    if (always) throw usageError('--edit is about one call; --always goes with --allow or --deny');
    const edited = editedArguments(edit);
    if (typeof edited === 'string') throw usageError(`--edit: ${edited}`);
    return { action: 'edit', arguments: edited };
  }
  if (deny !== undefined)
    return { action: 'deny', ...(deny !== true && { reason: deny }), ...(always && { always: true }) };
  if (allow || always) return { action: 'allow', ...(always && { always: true }) };
  if (shell.canPrompt) return undefined;
  throw usageError('What is decided? Give --allow, --always, --deny [REASON] or --edit JSON');
}

/** A call that waits, or only its id where no worker could tell. */
type Found = PendingQuestion | { uncheckedId: string };

const idOf = (found: Found): string => ('uncheckedId' in found ? found.uncheckedId : found.questionId);

/** Finds the call that is meant. @throws `CommandError` */
async function find({ client }: Reprise, run: Run, named: string | undefined): Promise<Found> {
  const found = await patiently(client, () => findCall(run, named));
  if (found !== undefined) return found;
  if (named !== undefined) return { uncheckedId: named };
  throw new CommandError(`No worker answers for ${run.id}, so that its call cannot be looked up; name it`);
}

async function findCall(run: Run, named: string | undefined): Promise<PendingQuestion> {
  const pending = (await run.pendingQuestions()).filter(({ kind }) => kind === 'tool');
  const [only] = pending;
  if (named === undefined && pending.length > 1)
    throw usageError(`Several tool calls of ${run.id} wait for leave; name one:\n${listOf(pending)}`);
  const found = named === undefined ? only : pending.find(({ questionId }) => questionId === named);
  if (found !== undefined) return found;
  if (named === undefined) throw new CommandError(`No tool call of ${run.id} waits for leave`);
  const ended = (await run.events()).find((event) => event.type === 'leave_ended' && event.questionId === named);
  if (ended !== undefined) throw new CommandError(endedText(ended as Ended));
  const choices = pending.length === 0 ? 'none waits' : `those that wait:\n${listOf(pending)}`;
  throw new CommandError(`${run.id} has no tool call ${named} that waits for leave; ${choices}`);
}

type Ended = Extract<RunEvent, { type: 'leave_ended' }>;

const endedText = ({ how, questionId, tool }: Ended): string =>
  printable(`${tool} (${questionId}) waits no longer: ${how}`);

const listOf = (pending: PendingQuestion[]): string =>
  pending.map(({ from, questionId, tool = '' }) => printable(`  ${questionId} (${from}): ${tool}`)).join('\n');

async function prompt(
  shell: Shell,
  run: Run,
  found: Found,
  { plain = false, temporal }: ApproveOptions,
): Promise<ToolDecision> {
  if ('uncheckedId' in found) throw usageError('No worker tells what waits; give the decision as an option');
  const waiting = { workflowId: run.id, ...found };
  const closed = new AbortController();
  shell.say(promptBox(shell, waiting, plain));
  const over = new AbortController();
  void untilEnded(run, found.questionId, over.signal).then(
    () => closed.abort(),
    // Where nobody can tell, the prompt stays until the person has decided.
    () => undefined,
  );
  const entered = await readDecision(shell, waiting, closed.signal).finally(() => over.abort());
  if (entered.kind === 'decision') return entered.decision;
  if (entered.kind === 'withdrawn') throw new CommandError(`${found.questionId} waits no longer`);
  shell.say(`The call still waits: ${approveCommand(waiting, temporal)} --allow`);
  throw new Interruption();
}

/** Waits until a call waits no longer, its run has ended, or nobody waits for that any more. */
async function untilEnded(run: Run, id: string, over: AbortSignal): Promise<void> {
  for await (const { events } of run.watch()) {
    if (over.aborted) return;
    if (events.some((event) => event.type === 'leave_ended' && event.questionId === id)) return;
  }
}

const sentText = (id: string, { action, always, id: call }: ToolDecision, found: Found): string => {
  const what = { allow: 'allowed', deny: 'denied', edit: 'allowed with these arguments' }[action];
  const tool = 'uncheckedId' in found ? '' : ` (${found.tool})`;
  const unheard = 'uncheckedId' in found ? ': no worker answers at present' : '';
  return printable(`Sent to ${id}: ${call}${tool} is ${what}${always ? ', for all of this run' : ''}${unheard}`);
};
