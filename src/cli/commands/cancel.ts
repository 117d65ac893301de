import { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import type { RunResult } from '../../client.ts';
import { openWithWorker, withConnection } from '../connection.ts';
import { print, say } from '../exit.ts';
import { textOf } from '../follow.ts';
import { spentText } from '../live/spent.ts';
import type { CommonOptions } from '../options.ts';

export type CancelOptions = Pick<CommonOptions, 'json' | 'temporal'>;

/** `reprise cancel ID`: ends a run, waits for its end, and prints the best answer that it has. */
export async function cancel(id: string, options: CancelOptions): Promise<void> {
  await withConnection(openWithWorker(options), async ({ reprise }) => {
    const run = reprise.getRun(id);
    await run.cancel();
    try {
      const result = await run.result();
      say(endText(id, result));
      await print(options.json ? JSON.stringify(result) : textOf(result));
    } catch (error) {
      if (!(error instanceof WorkflowFailedError && error.cause instanceof CancelledFailure)) throw error;
      say(`${id} is cancelled; it was begun by an earlier version of Reprise, and leaves no answer`);
    }
  });
}

function endText(id: string, { outcome, usage, warnings }: RunResult): string {
  const how = outcome === 'cancelled' ? 'is cancelled' : `had come to its end already: ${outcome}`;
  return [`${id} ${how}, ${spentText(usage)}`, ...warnings.map((text) => `Warning: ${text}`)].join('\n');
}
