import { WorkflowNotFoundError } from '@temporalio/client';
import { open, withConnection } from '../connection.ts';
import { CommandError, print } from '../exit.ts';
import { homeFolder, type CommonOptions } from '../options.ts';
import { layoutFor } from '../show/layout.ts';
import { recordText } from '../show/record-text.ts';

export interface ShowOptions extends Pick<CommonOptions, 'json' | 'plain' | 'temporal'> {
  prompts?: boolean;
}

/** `reprise show ID`: prints everything that a run has done, with its texts. */
export async function show(id: string, { json, plain, prompts, ...options }: ShowOptions): Promise<void> {
  await withConnection(open(options), async ({ reprise }) => {
    const record = await reprise
      .getRun(id)
      .show({ home: homeFolder(), prompts: prompts ?? false })
      .catch((error: unknown) => {
        throw error instanceof WorkflowNotFoundError ? new CommandError(`There is no run of the id ${id}`) : error;
      });
    await print(json ? JSON.stringify(record) : recordText(record, layoutFor(process.stdout, plain)));
  });
}
