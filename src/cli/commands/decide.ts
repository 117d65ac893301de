import type { OperatorDecision } from '../../client.ts';
import { open } from '../connection.ts';
import { say, usageError } from '../exit.ts';
import { watchCommand } from '../follow.ts';
import type { CommonOptions } from '../options.ts';

export interface DecideOptions extends CommonOptions {
  accept?: boolean;
  stop?: boolean;
  note?: string;
}

/** `reprise decide ID`: a person ends the loop of a research. */
export async function decide(id: string, options: DecideOptions): Promise<void> {
  const decision = decisionIn(options);
  const { reprise } = await open(options);
  try {
    const run = reprise.getResearch(id);
    const type = await run.openType();
    if (type !== 'research') throw usageError(`The run ${id} is no research: its type is ${type}`);
    await run.decide(decision);
    say(`Sent to ${id}: ${decision.action}. See what comes of it with: ${watchCommand(id, options)}`);
  } finally {
    await reprise.close();
  }
}

/** @throws `CommandError`, status 2 */
function decisionIn({ accept = false, stop = false, note }: DecideOptions): OperatorDecision {
  if (accept === stop)
    throw usageError(
      `${accept ? '--accept and --stop exclude each other' : 'What is decided?'} ` +
        'Give one of them: --accept goes on to the synthesis, --stop ends without a further model call',
    );
  return { action: accept ? 'accept' : 'stop', ...(note !== undefined && { note }) };
}
