import { WorkflowNotFoundError } from '@temporalio/client';
import { open, withConnection } from '../connection.ts';
import { CommandError } from '../exit.ts';
import { homeFolder, type CommonOptions } from '../options.ts';
import { checkOut, writeFiles } from '../out.ts';
import type { Shell } from '../shell.ts';
import { layoutFor } from '../show/layout.ts';
import { withTyped } from '../../client/show/record-parts.ts';
import { recordText } from '../show/record-text.ts';
import { choices, runMeant } from '../which-run.ts';

export interface ShowOptions extends Pick<CommonOptions, 'json' | 'out' | 'plain' | 'temporal'> {
  prompts?: boolean;
}

/** `reprise show [ID]`: prints everything that a run has done, with its texts; with `--out` it writes its files too. */
export async function show(
  shell: Shell,
  given: string | undefined,
  { json, out, plain, prompts, ...options }: ShowOptions,
): Promise<void> {
  checkOut(shell, { ...(out !== undefined && { out }) });
  await withConnection(open(shell, options), async ({ reprise }) => {
    const id = await runMeant(shell, reprise, given, choices.any);
    const record = await reprise
      .getRun(id)
      .show({ home: homeFolder(shell), variables: shell.env, prompts: prompts ?? false })
      .catch((error: unknown) => {
        throw error instanceof WorkflowNotFoundError ? new CommandError(`There is no run of the id ${id}`) : error;
      });
    if (json) await shell.printJson(record);
    else await shell.print(recordText(withTyped(record, shell.typed), layoutFor(shell, plain)));
    if (out === undefined) return;
    if (['running', 'paused'].includes(record.status) && record.workspace === null)
      throw new CommandError(`The run ${id} has not ended, and has no files to write yet`);
    await writeFiles(shell, id, record.workspace ?? undefined, out);
  });
}
