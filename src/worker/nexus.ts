import { startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus';
import type { WorkerOptions } from '@temporalio/worker';
import { operation, service, serviceHandler } from 'nexus-rpc';
import { workflowTypes } from '../protocol/definitions.ts';
import { hashOf } from '../util/ids.ts';

type NexusOptions = Pick<WorkerOptions, 'nexusServices' | 'nexusTaskPollerBehavior'>;

/**
 * The Nexus service `reprise`, by which workflows of other namespaces start runs and wait for their results: an operation for
 * each workflow type, with its input and its result. A server that has no Nexus is not asked for any.
 */
export async function nexusOptions({ workflowService }: WorkerOptions['connection'] & object): Promise<NexusOptions> {
  const { capabilities } = await workflowService.getSystemInfo({});
  if (!capabilities?.nexus) return {};
  const operations = Object.fromEntries(workflowTypes.map((type) => [type, operation<object, unknown>()]));
  const handlers = Object.fromEntries(
    workflowTypes.map((type) => [
      type,
      new WorkflowRunOperationHandler<object, unknown>((context, input) =>
        // The request's id stays when it is sent again, and so does the run's.
        startWorkflow(context, type, { workflowId: `nexus-${hashOf(context.requestId).slice(0, 24)}`, args: [input] }),
      ),
    ]),
  );
  return {
    nexusServices: [serviceHandler(service('reprise', operations), handlers)],
    // Starting a run is quick.
    nexusTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
  };
}
