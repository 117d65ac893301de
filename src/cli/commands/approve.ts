import type { PendingQuestion, Run } from '../../client.ts';
import { meantCall, type Meant } from '../../client/asked.ts';
import type { ToolDecision } from '../../protocol/tools/permissions.ts';
import { printable } from '../../util/text/printable.ts';
import { open, withConnection } from '../connection.ts';
import { usageError } from '../exit.ts';
import type { CommonOptions } from '../options.ts';
import { readDecision } from '../questions/approval.ts';
import { approveCommand } from '../questions/box.ts';
import { promptFor } from '../questions/one-request.ts';
import type { Shell } from '../shell.ts';
import { choices, runMeant } from '../which-run.ts';

interface ApproveOptions extends CommonOptions {
  allow?: boolean;
  /** The reason, or true where none is given. */
  deny?: string | true;
  /** JSON. */
  edit?: string;
  always?: boolean;
}

/** What the options decide, but for the call that it is about. */
type Given = Omit<ToolDecision, 'id'>;

/** `reprise approve [ID] [CALL]`: decides about a tool call that waits for approval. */
export async function approve(
  shell: Shell,
  id: string | undefined,
  named: string | undefined,
  options: ApproveOptions,
): Promise<void> {
  const given = await givenDecision(shell, options);
  await withConnection(open(shell, options), async ({ reprise }) => {
    const run = reprise.getRun(await runMeant(shell, reprise, id, choices.waiting));
    await run.assertOpen();
    const meant = await meantCall(reprise, run, named);
    if (options.edit !== undefined) await checkedEdit(options.edit, meant.pending);
    const decision = given ? { id: meant.questionId, ...given } : await prompt(shell, run, meant, options);
    await run.approve(decision);
    shell.say(sentText(run.id, decision, meant));
  });
}

/** @returns undefined where the terminal must prompt @throws `CommandError`, status 2 */
async function givenDecision(shell: Shell, { allow, always, deny, edit }: ApproveOptions): Promise<Given | undefined> {
  const chosen = [allow, deny, edit].filter((each) => each !== undefined);
  if (chosen.length > 1) throw usageError('--allow, --deny and --edit exclude each other');
  if (edit !== undefined) {
    if (always) throw usageError('--edit is about one call; --always goes with --allow or --deny');
    return { action: 'edit', arguments: await checkedEdit(edit) };
  }
  if (deny !== undefined)
    return { action: 'deny', ...(deny !== true && { reason: deny }), ...(always && { always: true }) };
  if (allow || always) return { action: 'allow', ...(always && { always: true }) };
  if (shell.canPrompt) return undefined;
  throw usageError('What is decided? Give --allow, --always, --deny [REASON] or --edit JSON');
}

/** The arguments of `--edit`. @param asked what they are for, if that is known @throws `CommandError`, status 2 */
async function checkedEdit(edit: string, asked?: PendingQuestion): Promise<Record<string, unknown>> {
  const { editedArguments } = await import('../../client/edited.ts');
  const edited = editedArguments(edit, asked);
  if (typeof edited === 'string') throw usageError(`--edit: ${edited}`);
  return edited;
}

async function prompt(
  shell: Shell,
  run: Run,
  { pending, questionId }: Meant,
  { plain, temporal }: ApproveOptions,
): Promise<ToolDecision> {
  if (pending === undefined) throw usageError('No worker tells what waits; give the decision as an option');
  const waiting = { workflowId: run.id, ...pending };
  const left = `The call still waits: ${approveCommand(waiting, temporal)} --allow`;
  const { decision } = await promptFor(shell, run, pending, { left, name: questionId, plain }, (withdrawn) =>
    readDecision(shell, waiting, withdrawn),
  );
  return decision;
}

const sentText = (id: string, { action, always, id: call }: ToolDecision, { pending }: Meant): string => {
  const what = { allow: 'allowed', deny: 'denied', edit: 'allowed with these arguments' }[action];
  const tool = pending === undefined ? '' : ` (${pending.tool})`;
  const unheard = pending === undefined ? ': no worker answers at present' : '';
  return printable(`Sent to ${id}: ${call}${tool} is ${what}${always ? ', for all of this run' : ''}${unheard}`);
};
