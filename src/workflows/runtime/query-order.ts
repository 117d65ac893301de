import type { WorkflowInterceptors } from '@temporalio/workflow';

/** The SDK's id of a query that has a task of its own; others come with a workflow task. */
const ofItsOwn = 'legacy_query';

/** A local activity that lasts longer, in milliseconds of the workflow's time, has been through the SDK's heartbeat. */
const short = 5000;

/** How many local activities are under way, and when the last one was scheduled, in milliseconds since the epoch. */
let underWay = 0;
let scheduledAt = 0;

/**
 * Temporal calls this for each workflow, since the worker bundles the module as an interceptor. While a local activity is under
 * way, a query that came with the workflow task gets no answer from it, and Temporal asks it again when the task is done.
 *
 * The SDK would complete the task with the answer, and where the local activity ended meanwhile, with its marker too, although
 * the workflow's code goes on only in the next task, after the signals and updates that come with that. A replay finds the
 * marker, goes on before them, and fails for good. What takes longer than a moment is queried as ever at the SDK's heartbeats.
 */
export function interceptors(): WorkflowInterceptors {
  return {
    inbound: [
      {
        handleQuery(input, next) {
          const isInTheWay = underWay > 0 && Date.now() - scheduledAt < short && input.queryId !== ofItsOwn;
          return isInTheWay ? new Promise(() => {}) : next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleLocalActivity(input, next) {
          underWay += 1;
          scheduledAt = Date.now();
          const result = next(input);
          const ended = (): void => {
            underWay -= 1;
          };
          result.then(ended, ended);
          return result;
        },
      },
    ],
  };
}
