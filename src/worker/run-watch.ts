import type { InjectedSinks, NativeConnection } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { RunSinks } from '../protocol/sinks.ts';

/** How often code may be interrupted before it counts as an endless loop. Once could be the fault of a busy machine. */
const cutsAllowed = 2;

const failuresAllowed = 3;

interface Watched {
  /** Changes when the workflow is begun again from its history. */
  instance: number;
  /** Whether the workflow has been begun again, and it is not known yet why. */
  isAgain: boolean;
  isResting: boolean;
  cuts: number;
}

/**
 * Ends runs whose custom orchestrator holds up the worker. The SDK interrupts code that does not come to rest after five
 * seconds, during which no other run of the worker gets on; and an error outside of `handleText` fails the workflow task.
 * Temporal would try either again for ever.
 *
 * @param isEncrypted whether what such code says is to be seen by nobody without the key
 */
export function runWatch(
  connection: NativeConnection,
  namespace: string,
  isEncrypted = false,
): InjectedSinks<RunSinks>['watch'] {
  const runs = new Map<string, Watched>();

  const end = async ({ workflowId, runId }: WorkflowInfo, reason: string): Promise<void> => {
    runs.delete(runId);
    const workflowExecution = { workflowId, runId };
    await connection.workflowService.terminateWorkflowExecution({ namespace, workflowExecution, reason });
  };

  const failures = async ({ workflowId, runId }: WorkflowInfo): Promise<{ count: number; last: string }> => {
    const execution = { workflowId, runId };
    const { workflowService: service } = connection;
    const { pendingWorkflowTask } = await service.describeWorkflowExecution({ namespace, execution });
    const page = { namespace, execution, maximumPageSize: 10 };
    const { history } = await service.getWorkflowExecutionHistoryReverse(page);
    // Tasks whose worker has died have timed out, and do not count as failed.
    const failed = history?.events?.find(
      (event) => event.workflowTaskFailedEventAttributes ?? event.workflowTaskCompletedEventAttributes,
    )?.workflowTaskFailedEventAttributes;
    return { count: failed ? (pendingWorkflowTask?.attempt ?? 0) : 0, last: failed?.failure?.message ?? '' };
  };

  return {
    entered: {
      async fn(info, file, instance) {
        const before = runs.get(info.runId);
        const isAgain = before !== undefined && (before.isAgain || before.instance !== instance);
        const now: Watched = { instance, isAgain, isResting: false, cuts: before?.cuts ?? 0 };
        runs.set(info.runId, now);
        // The calls of a workflow task arrive all at once at its end; without `rested` among them it was interrupted.
        await new Promise((resolve) => setImmediate(resolve));
        if (runs.get(info.runId) !== now) return;
        if (!now.isResting) {
          now.cuts += 1;
          if (now.cuts < cutsAllowed) return;
          await end(info, `${file} ran for seconds without coming to rest, ${now.cuts} times: an endless loop?`);
          return;
        }
        now.cuts = 0;
        if (!now.isAgain) return;
        now.isAgain = false;
        const { count, last } = await failures(info);
        if (count < failuresAllowed) return;
        // The reason why a run is ended is nothing that Temporal encrypts.
        const why = isEncrypted ? 'its history says why' : last;
        await end(info, `${file} failed outside of what handleText waits for, ${count} times: ${why}`);
      },
      callDuringReplay: false,
    },
    rested: {
      fn({ runId }, isDone) {
        const now = runs.get(runId);
        if (now !== undefined) now.isResting = true;
        if (isDone) runs.delete(runId);
      },
      callDuringReplay: false,
    },
  };
}
