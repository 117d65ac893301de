import type { OrchestrationRun } from '../client.ts';
import { exitStatus, print, say } from './exit.ts';
import { durationText, spentText } from './live/spent.ts';
import { openView } from './live/view.ts';
import type { CommonOptions } from './options.ts';

/** Time between two attempts to bring back what a run needs. */
const reviveEveryMs = 10_000;

/**
 * Shows a run until its end, and prints its answer or its result. Ctrl-C leaves; the run goes on.
 *
 * @param revive starts what a run at a local address needs, if it died
 * @throws where the run failed
 */
export async function follow(
  run: OrchestrationRun,
  options: CommonOptions,
  revive: () => Promise<void>,
): Promise<void> {
  const view = openView(options.plain ?? false);
  const leave = (): never => {
    view.close();
    say(`The run goes on. Come back to it with: reprise watch ${run.id}`);
    process.exit(exitStatus.interrupted);
  };
  process.once('SIGINT', leave);
  let revivedAt = 0;
  let troubled = false;
  let since = 0;
  let until = 0;
  try {
    for await (const look of run.watch()) {
      view.show(look);
      since ||= Date.parse(look.events.at(0)?.at ?? '') || 0;
      until = Date.parse(look.events.at(-1)?.at ?? '') || until;
      if (!look.trouble) {
        troubled = false;
        continue;
      }
      if (!troubled)
        view.say(`No worker answers; the run goes on as soon as one does (${look.trouble.message})`);
      troubled = true;
      if (Date.now() - revivedAt < reviveEveryMs) continue;
      revivedAt = Date.now();
      await revive();
    }
    const result = await run.result();
    view.close();
    const attempts = `${result.attempts} ${result.attempts === 1 ? 'attempt' : 'attempts'}`;
    say(`${attempts}, ${durationText(until - since)}, ${spentText(result.usage)}`);
    await print(options.json ? JSON.stringify(result) : result.answer);
  } finally {
    view.close();
    process.removeListener('SIGINT', leave);
  }
}
