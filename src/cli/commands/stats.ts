import colors from 'picocolors';
import { open } from '../connection.ts';
import { print, say } from '../exit.ts';
import { reasonOf } from '../failures.ts';
import { harmless } from '../live/telling.ts';
import type { CommonOptions } from '../options.ts';
import { adviceOf } from '../stats/advice.ts';
import { statsText } from '../stats/text.ts';

export type StatsOptions = Pick<CommonOptions, 'json' | 'plain' | 'temporal'>;

/** So many runs are read between two words of progress. */
const sayEvery = 50;

/** `reprise stats`: how often restarts happen, what they gain and what they cost, over all runs. */
export async function stats({ json, plain, ...options }: StatsOptions): Promise<void> {
  const { reprise } = await open(options);
  try {
    const found = await reprise.stats({
      onRead: (runs) => runs % sayEvery === 0 && say(`${runs} runs read …`),
      onUnread: (id, reason) =>
        say(`Warning: the run ${harmless(id)} could not be read (${reasonOf(reason)})`),
    });
    const isEmpty = found.orchestration.runs + found.research.runs + found.unread === 0;
    const heading = process.stdout.isTTY && !plain ? colors.bold : String;
    if (json) await print(JSON.stringify({ ...found, advice: adviceOf(found) }));
    else if (isEmpty) say('No orchestration and no research has completed yet');
    else await print(statsText(found, heading));
  } finally {
    await reprise.close();
  }
}
