import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';
import { readEnvironment } from '../config/environment.ts';
import { jsonLine, logFormat } from './log-format.ts';

let installed = false;

/**
 * Makes the SDK print only what went wrong, a line each, since runs have a log of their own. It must be called before the
 * first connection of the process.
 *
 * @throws `VariableError` where `REPRISE_LOG_FORMAT` names no format
 */
export function quietRuntime(): void {
  if (installed) return;
  const line = logFormat(readEnvironment(process.env)) === 'json' ? jsonOf : lineOf;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('WARN', (entry) => process.stderr.write(line(entry))),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
    // Each command ends its worker by itself, in its own way.
    shutdownSignals: [],
  });
}

/** A message of the SDK in one line; about an activity, with the ids of its run and its own, and the attempt. */
function lineOf({ level, message, meta = {} }: LogEntry): string {
  const { error, activityId, workflowId, attempt } = meta;
  const where = [workflowId, activityId, attempt === undefined ? undefined : `try ${attempt}`];
  const reason = error instanceof Error ? `: ${error.message}` : '';
  const place = where.filter((part) => part !== undefined).join(', ');
  return `${level} ${message}${reason}${place === '' ? '' : ` (${place})`}\n`;
}

/** The same as a line of JSON. A workflow's messages name its run `runId`, an activity's name it `workflowRunId`. */
function jsonOf({ level, message, timestampNanos, meta = {} }: LogEntry): string {
  const { error, activityId, activityType, attempt, workflowId, runId, workflowRunId, workflowType } = meta;
  return jsonLine({
    time: new Date(Number(timestampNanos / 1_000_000n)).toISOString(),
    level,
    message,
    ...(error instanceof Error && { error: error.message }),
    workflowId,
    runId: runId ?? workflowRunId,
    type: workflowType,
    activityId,
    activityType,
    attempt,
  });
}
