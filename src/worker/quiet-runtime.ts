import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';

let installed = false;

/**
 * Lets the SDK say only what went wrong, each in one line: what runs say is in their own log.
 * To be called before the first connection of a process.
 */
export function quietRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('WARN', (entry) => process.stderr.write(`${lineOf(entry)}\n`)),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
    // Commands end workers themselves, each in its own way.
    shutdownSignals: [],
  });
}

/** What the SDK tells of an activity with its messages. */
interface CallMeta {
  error?: unknown;
  activityId?: string;
  workflowId?: string;
  attempt?: number;
}

function lineOf({ level, message, meta }: LogEntry): string {
  const { error, activityId, workflowId, attempt } = (meta ?? {}) as CallMeta;
  const where = [workflowId, activityId, attempt === undefined ? undefined : `try ${attempt}`];
  const reason = error instanceof Error ? `: ${error.message}` : '';
  return `${level} ${message}${reason} (${where.filter((part) => part !== undefined).join(', ')})`;
}
