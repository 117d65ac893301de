import { WorkflowFailedError } from '@temporalio/client';
import type { Run } from '../../client.ts';
import { withTyped } from '../../client/show/record-parts.ts';
import { openInBrowser } from '../browser.ts';
import { open, openWithWorker, pageOf, withConnection } from '../connection.ts';
import { CommandError } from '../exit.ts';
import { asCommandError } from '../failures.ts';
import { follow } from '../follow.ts';
import { homeFolder, type CommonOptions, type FollowOptions } from '../options.ts';
import { checkOut, writeFiles } from '../out.ts';
import type { Shell } from '../shell.ts';
import { layoutFor } from '../show/layout.ts';
import { recordText } from '../show/record-text.ts';
import { choices, isRun, noRun, runMeant } from '../which-run.ts';

export async function watch(shell: Shell, given: string | undefined, options: FollowOptions): Promise<void> {
  checkOut(shell, options);
  await withConnection(openWithWorker(shell, options), async ({ reprise }) => {
    const id = await runMeant(shell, reprise, given, choices.any);
    // It may be of any type: where it has restarts, a key of the live view asks for one.
    const run: Run = reprise.getOrchestration(id);
    await run.isOpen().catch(noRun(id));
    await follow(shell, run, options).catch((error: unknown) => {
      if (!(error instanceof WorkflowFailedError)) throw error;
      // Whoever looks at a run has not started it, whatever was wrong with its input.
      throw new CommandError((asCommandError(error) as CommandError).message);
    });
  });
}

type ShowOptions = CommonOptions & { prompts?: boolean };

export async function show(shell: Shell, given: string | undefined, options: ShowOptions): Promise<void> {
  const { json, out, plain, prompts = false } = options;
  checkOut(shell, options);
  await withConnection(open(shell, options), async ({ reprise }) => {
    const id = await runMeant(shell, reprise, given, choices.any);
    const shown = { home: homeFolder(shell), variables: shell.env, prompts };
    const record = await reprise.getRun(id).show(shown).catch(noRun(id));
    if (json) await shell.printJson(record);
    else await shell.print(recordText(withTyped(record, shell.typed), layoutFor(shell, plain)));
    if (out === undefined) return;
    if (['running', 'paused'].includes(record.status) && record.workspace === null)
      throw new CommandError(`The run ${id} has not ended, and has no files to write yet`);
    await writeFiles(shell, id, record.workspace ?? undefined, out);
  });
}

export async function openPage(shell: Shell, given: string | undefined, options: CommonOptions): Promise<void> {
  await withConnection(openWithWorker(shell, options), async (opened) => {
    const { reprise } = opened;
    const id = given === undefined ? undefined : await runMeant(shell, reprise, given, choices.any);
    if (id !== undefined && !(await isRun(reprise, id))) noRun(id)();
    const page = pageOf(opened, id);
    if (page === undefined)
      throw new CommandError('The Web UI of a server that Reprise has not started is not known here');
    await shell.print(page);
    await openInBrowser(shell.env, page);
  });
}
