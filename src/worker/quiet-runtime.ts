import { telemetrySettings } from '../telemetry/settings.ts';
import { ApplicationFailure } from '@temporalio/common';
import { TamperedError, UnknownKeyError } from '../encryption/keys.ts';
import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';
import { readEnvironment, VariableError } from '../util/environment.ts';
import { askAgain } from '../protocol/errors.ts';
import { printable } from '../util/text/printable.ts';
import { jsonLine, logFormat } from './log-sink.ts';

let installed = false;

/**
 * Makes the SDK print only what went wrong, a line each, since runs have a log of their own, and send its metrics where
 * OpenTelemetry's variables say. It must be called before the first connection of the process.
 *
 * @param isEncrypted whether what a run is about must not be printed: of an error its type stands for its words
 * @throws `VariableError` where `REPRISE_LOG_FORMAT` names no format, or the port of the metrics is taken
 */
export function quietRuntime(isEncrypted = false): void {
  if (installed) return;
  const line = logFormat(readEnvironment(process.env)) === 'json' ? jsonOf : lineOf;
  installed = true;
  const { metrics } = telemetrySettings(process.env);
  try {
    Runtime.install({
      logger: new DefaultLogger('WARN', (entry) => {
        if (!isExpected(entry)) process.stderr.write(line(entry, isEncrypted));
      }),
      telemetryOptions: {
        logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } },
        ...(metrics !== undefined && { metrics }),
      },
      // Each command ends its worker by itself, in its own way.
      shutdownSignals: [],
    });
  } catch (error) {
    if (metrics === undefined || !('prometheus' in metrics)) throw error;
    throw new VariableError(
      `OTEL_EXPORTER_PROMETHEUS_PORT: ${(error as Error).message}; a second worker on a machine needs another port`,
      { cause: error },
    );
  }
}

/** A query that comes too early after a worker's death is sent again, and is nothing that went wrong. */
const isExpected = ({ meta }: LogEntry): boolean => meta?.error instanceof Error && meta.error.message === askAgain;

/** A message of the SDK in one line; about an activity, with the ids of its run and its own, and the attempt. */
export function lineOf({ level, message, meta = {} }: LogEntry, isEncrypted: boolean): string {
  const { error, activityId, workflowId, attempt } = meta;
  const where = [workflowId, activityId, attempt === undefined ? undefined : `try ${attempt}`];
  const reason = error instanceof Error ? `: ${isEncrypted ? typeOf(error) : error.message}` : '';
  const place = where.filter((part) => part !== undefined).join(', ');
  const line = `${level} ${saidOf(message, isEncrypted)}${reason}${place === '' ? '' : ` (${place})`}`;
  // An error may quote anybody, who would steer the terminal or write lines of their own.
  return `${printable(line).replaceAll(/\s*\n\s*/g, '; ')}\n`;
}

/** The same as a line of JSON. A workflow's messages name its run `runId`, an activity's name it `workflowRunId`. */
export function jsonOf({ level, message, timestampNanos, meta = {} }: LogEntry, isEncrypted: boolean): string {
  const { error, activityId, activityType, attempt, workflowId, runId, workflowRunId, workflowType } = meta;
  return jsonLine({
    time: new Date(Number(timestampNanos / 1_000_000n)).toISOString(),
    level,
    message: saidOf(message, isEncrypted),
    ...(error instanceof Error && { error: isEncrypted ? typeOf(error) : error.message }),
    workflowId,
    runId: runId ?? workflowRunId,
    type: workflowType,
    activityId,
    activityType,
    attempt,
  });
}

/** What follows a colon is what somebody else has said. */
const saidOf = (message: string, isEncrypted: boolean): string =>
  isEncrypted ? (message.split(': ')[0] ?? '') : message;

/** What went wrong, without anybody's words. Only errors about the keys themselves are as they are. */
function typeOf(error: Error): string {
  if (error instanceof UnknownKeyError || error instanceof TamperedError) return error.message;
  return (error instanceof ApplicationFailure && error.type) || error.name;
}
