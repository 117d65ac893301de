import type { RunResult } from '../../client.ts';
import { openWithWorker, withConnection } from '../connection.ts';
import { answerOf } from '../../client/show/record-parts.ts';
import { spentText } from '../../client/show/spent.ts';
import type { CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { choices, runMeant } from '../which-run.ts';

export type CancelOptions = Pick<CommonOptions, 'json' | 'temporal'>;

/** `reprise cancel [ID]`: ends a run, waits for its end, and prints the best answer that it has. */
export async function cancel(shell: Shell, given: string | undefined, options: CancelOptions): Promise<void> {
  const { say } = shell;
  await withConnection(openWithWorker(shell, options), async ({ reprise }) => {
    const id = await runMeant(shell, reprise, given, choices.open);
    const run = reprise.getRun(id);
    await run.cancel();
    const result = await run.result();
    say(endText(id, result));
    await (options.json ? shell.printJson(result) : shell.printText(answerOf(result)));
  });
}

function endText(id: string, { outcome, usage, warnings }: RunResult): string {
  const how = outcome === 'cancelled' ? 'is cancelled' : `had come to its end already: ${outcome}`;
  return [`${id} ${how}, ${spentText(usage)}`, ...warnings.map((text) => `Warning: ${text}`)].join('\n');
}
