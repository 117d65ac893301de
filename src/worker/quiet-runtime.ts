import { ApplicationFailure } from '@temporalio/common';
import { TamperedError, UnknownKeyError } from '../encryption/keys.ts';
import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';

let installed = false;

/**
 * Makes the SDK print only what went wrong, a line each, since runs have a log of their own. It must be called before the
 * first connection of the process.
 *
 * @param isEncrypted whether what a run is about must not be printed: of an error its type stands for its words
 */
export function quietRuntime(isEncrypted = false): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('WARN', (entry) => process.stderr.write(`${lineOf(entry, isEncrypted)}\n`)),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
    // Each command ends its worker by itself, in its own way.
    shutdownSignals: [],
  });
}

/** A message of the SDK in one line; about an activity, with the ids of its run and its own, and the attempt. */
function lineOf({ level, message, meta = {} }: LogEntry, isEncrypted: boolean): string {
  const { error, activityId, workflowId, attempt } = meta;
  const where = [workflowId, activityId, attempt === undefined ? undefined : `try ${attempt}`];
  const reason = error instanceof Error ? `: ${isEncrypted ? typeOf(error) : error.message}` : '';
  const place = where.filter((part) => part !== undefined).join(', ');
  // What follows a colon is what somebody else has said.
  const said = isEncrypted ? message.split(': ')[0] : message;
  return `${level} ${said}${reason}${place === '' ? '' : ` (${place})`}`;
}

/** What went wrong, without anybody's words. Only errors about the keys themselves are as they are. */
function typeOf(error: Error): string {
  if (error instanceof UnknownKeyError || error instanceof TamperedError) return error.message;
  return (error instanceof ApplicationFailure && error.type) || error.name;
}
