import { WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';
import type { RunEvent } from '../protocol/events.ts';

/** How far a run's events are known. */
export interface Place {
  runId: string;
  /** Sequence number of the last event that is known; 0 where none is. */
  seq: number;
}

/**
 * What has happened since a place, in a run and in those that it continues: sequence numbers go on from run to run, and
 * each keeps its own events. Where it continues none, as a new one under an old id, all of its events are new.
 */
export async function eventsSince(
  client: WorkflowClient,
  workflowId: string,
  runId: string,
  known: Place | undefined,
): Promise<RunEvent[]> {
  const query = (from: number): Promise<RunEvent[]> =>
    client.getHandle(workflowId, runId).query<RunEvent[], [number]>('events', from);
  const from = (known?.seq ?? 0) + 1;
  const own = await query(from);
  if (runId === known?.runId || own[0]?.seq === from) return own;
  const earlier = await runBefore(client, workflowId, runId);
  if (earlier === undefined) return from === 1 ? own : query(1);
  try {
    return [...(await eventsSince(client, workflowId, earlier, known)), ...own];
  } catch (error) {
    // The server keeps ended runs only for some time.
    if (error instanceof WorkflowNotFoundError) return own;
    throw error;
  }
}

/** The run that continued as this one. */
async function runBefore(
  { workflowService, options }: WorkflowClient,
  workflowId: string,
  runId: string,
): Promise<string | undefined> {
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  return started?.continuedExecutionRunId || undefined;
}
