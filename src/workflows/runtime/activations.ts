import { ApplicationFailure, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { askAgain } from '../../protocol/errors.ts';
import { bytesOf, inOrder, nameOf, Told } from './jobs.ts';
import { presentUpdates } from './messages.ts';

/** A worker may have workflows of somebody else too, whose histories are in the SDK's own order. */
const ownTypes = ['orchestration', 'planAndExecute', 'research', 'session'];

const told = new Told();

/**
 * Temporal calls this for each workflow, since the worker bundles the module as an interceptor. What a run is told comes in
 * the order of `inOrder`. A query fails for which it was told more than its workflow tasks have told it (`Told`): by that the
 * worker forgets the run, and then has it again from its history, with the task. One that comes with a task fails by itself, since
 * the server drops a task that was for an update alone if the SDK's core has overlooked the update (src/client/asked-again.ts).
 */
export function interceptors(): WorkflowInterceptors {
  if (!ownTypes.includes(workflowInfo().workflowType)) return {};
  return {
    inbound: [
      {
        async handleQuery(input, next) {
          if (told.mayBeAhead) throw ApplicationFailure.retryable(askAgain);
          return next(input);
        },
      },
    ],
    internals: [
      {
        activate({ activation, ...input }, next) {
          // The SDK takes the first job away if it begins the run, so that the array must stay the same.
          const jobs = activation.jobs ?? [];
          if (jobs.every(({ queryWorkflow }) => queryWorkflow)) {
            const isOfItsOwn = jobs.some(({ queryWorkflow }) => queryWorkflow?.queryId === ofItsOwn);
            if (isOfItsOwn && told.mayBeAhead) throw ApplicationFailure.retryable(askAgain);
            return next({ activation, ...input });
          }
          const { historyLength, isReplaying, timestamp } = activation;
          const time = `${String(timestamp?.seconds)}.${timestamp?.nanos}`;
          told.note({ events: historyLength ?? 0, time }, isReplaying ?? false);
          for (const { doUpdate, signalWorkflow } of jobs) {
            if (signalWorkflow) signalWorkflow.signalName = nameOf(signalWorkflow.signalName);
            if (!doUpdate) continue;
            const name = nameOf(doUpdate.name);
            doUpdate.name = presentUpdates()?.nameFor(name, bytesOf(doUpdate.input)) ?? name;
          }
          jobs.splice(0, jobs.length, ...inOrder(jobs));
          next({ activation, ...input });
        },
      },
    ],
  };
}

/** The SDK's id of a query that has a task of its own; others come with a workflow task. */
const ofItsOwn = 'legacy_query';
