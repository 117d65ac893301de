import type { OperatorDecision, RunResult } from '../../client.ts';
import { decidable, restartable } from '../../client/asked.ts';
import { answerOf } from '../../client/show/record-parts.ts';
import { spentText } from '../../client/show/spent.ts';
import { open, openWithWorker, withConnection } from '../connection.ts';
import { usageError } from '../exit.ts';
import type { CommonOptions } from '../options.ts';
import { watchCommand } from '../questions/box.ts';
import type { Shell } from '../shell.ts';
import { choices, runMeant } from '../which-run.ts';

type RestartOptions = CommonOptions & { reason: string; instructions: string };

export async function restart(shell: Shell, given: string | undefined, options: RestartOptions): Promise<void> {
  const { reason, instructions } = options;
  if (reason.trim() === '' || instructions.trim() === '')
    throw usageError('--reason and --instructions must not be empty');
  await withConnection(open(shell, options), async ({ reprise }) => {
    const id = await runMeant(shell, reprise, given, choices.restartable);
    const run = await restartable(reprise, id);
    await run.requestRestart(reason, instructions);
    shell.say(`Restart of ${id} requested. See what comes of it with: ${watchCommand(id, options)}`);
  });
}

type DecideOptions = CommonOptions & { accept?: boolean; stop?: boolean; note?: string };

export async function decide(shell: Shell, given: string | undefined, options: DecideOptions): Promise<void> {
  const decision = decisionIn(options);
  await withConnection(open(shell, options), async ({ reprise }) => {
    const id = await runMeant(shell, reprise, given, choices.research);
    const run = await decidable(reprise, id);
    await run.decide(decision);
    shell.say(`Sent to ${id}: ${decision.action}. See what comes of it with: ${watchCommand(id, options)}`);
  });
}

function decisionIn({ accept = false, stop = false, note }: DecideOptions): OperatorDecision {
  if (accept === stop)
    throw usageError(
      `${accept ? '--accept and --stop exclude each other.' : 'What is decided?'} ` +
        'Give one of them: --accept goes on to the synthesis, --stop ends without a further model call',
    );
  return { action: accept ? 'accept' : 'stop', ...(note !== undefined && { note }) };
}

export async function cancel(shell: Shell, given: string | undefined, options: CommonOptions): Promise<void> {
  await withConnection(openWithWorker(shell, options), async ({ reprise }) => {
    const id = await runMeant(shell, reprise, given, choices.open);
    const run = reprise.getRun(id);
    await run.cancel();
    const result = await run.result();
    shell.say(endText(id, result));
    await (options.json ? shell.printJson(result) : shell.printText(answerOf(result)));
  });
}

function endText(id: string, { outcome, usage, warnings }: RunResult): string {
  const how = outcome === 'cancelled' ? 'is cancelled' : `had come to its end already: ${outcome}`;
  return [`${id} ${how}, ${spentText(usage)}`, ...warnings.map((text) => `Warning: ${text}`)].join('\n');
}
