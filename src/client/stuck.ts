import type { WorkflowHandle } from '@temporalio/client';
import { decodeAll } from '../encryption/decode.ts';

/** How many of the last events are read. A task that has failed is among them, with the next one that is scheduled. */
const lastEvents = 10;

/**
 * Why a run does not get on although a worker serves it: the worker fails in each workflow task, which Temporal tries again
 * for ever. So it is where the worker lacks the key by which the run is encrypted.
 *
 * @returns undefined where its last task did not fail, or where the server does not answer
 */
export async function whyStuck({ client, workflowId }: WorkflowHandle): Promise<string | undefined> {
  const { loadedDataConverter, namespace } = client.options;
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution: { workflowId },
      maximumPageSize: lastEvents,
    });
    const last = history?.events?.find(
      (event) => event.workflowTaskFailedEventAttributes ?? event.workflowTaskCompletedEventAttributes,
    )?.workflowTaskFailedEventAttributes;
    if (!last?.failure) return undefined;
    const { failure } = await decodeAll(last, loadedDataConverter);
    return failure?.message || undefined;
  } catch {
    return undefined;
  }
}
