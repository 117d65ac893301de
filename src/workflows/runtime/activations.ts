import {
  ApplicationFailure,
  defaultPayloadConverter,
  workflowInfo,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { workflowTypes } from '../../protocol/definitions.ts';
import { askAgain } from '../../protocol/errors.ts';
import { tookEvent } from './event-log.ts';
import { bytesOf, eventsOf, inOrder, nameOf, Delivered } from './jobs.ts';
import { presentUpdates } from './messages.ts';
import { perRun } from './per-run.ts';

type Internals = NonNullable<WorkflowInterceptors['internals']>[number];
type Command = Parameters<NonNullable<Internals['concludeActivation']>>[0]['commands'][number];

const own = perRun(() => ({
  delivered: new Delivered(),
  /** Whether the present activation has brought what came of an activity, a timer or a notification. */
  hasOutcome: false,
  /** Whether it has ended. Of a call that is cancelled thereby it is still told, and what it adds then no server takes. */
  isOver: false,
}));

/**
 * Temporal calls this for each workflow, since the worker bundles the module as an interceptor. What a run is told comes in
 * the order of `inOrder`. A query fails for which it was told more than its workflow tasks have told it (`Delivered`): by that the
 * worker forgets the run, and then has it again from its history, with the task. One that comes with a task fails by itself, since
 * the server drops a task that was for an update alone if the SDK's core has overlooked the update (src/client/asked-again.ts).
 */
export function interceptors(): WorkflowInterceptors {
  // A worker may have workflows of somebody else too, whose histories are in the SDK's own order.
  if (!workflowTypes.includes(workflowInfo().workflowType)) return {};
  const run = own();
  const { delivered } = run;
  return {
    inbound: [
      {
        async handleQuery(input, next) {
          if (delivered.mayBeAhead) throw ApplicationFailure.retryable(askAgain);
          return next(input);
        },
      },
    ],
    internals: [
      {
        activate({ activation, ...input }, next) {
          // The SDK takes the first job away if it begins the run, so that the array must stay the same.
          const jobs = activation.jobs ?? [];
          const { historyLength, isReplaying, timestamp } = activation;
          const now = { events: historyLength ?? 0, time: `${String(timestamp?.seconds)}.${timestamp?.nanos}` };
          if (jobs.every(({ queryWorkflow }) => queryWorkflow)) {
            const isOfItsOwn = jobs.some(({ queryWorkflow }) => queryWorkflow?.queryId === ofItsOwn);
            if (isOfItsOwn && (delivered.mayBeAhead || delivered.isBehindUntold(now)))
              throw ApplicationFailure.retryable(askAgain);
            return next({ activation, ...input });
          }
          delivered.note(now, isReplaying ?? false);
          for (const { doUpdate, signalWorkflow } of jobs) {
            if (signalWorkflow) signalWorkflow.signalName = nameOf(signalWorkflow.signalName);
            if (!doUpdate) continue;
            const name = nameOf(doUpdate.name);
            doUpdate.name = presentUpdates()?.nameFor(name, bytesOf(doUpdate.input)) ?? name;
          }
          run.hasOutcome ||= jobs.some(
            (job) =>
              job.fireTimer ??
              job.resolveActivity ??
              job.resolveChildWorkflowExecutionStart ??
              job.resolveChildWorkflowExecution,
          );
          jobs.splice(0, jobs.length, ...inOrder(jobs));
          next({ activation, ...input });
        },
        concludeActivation(input, next) {
          const { commands, ...output } = next(input);
          if (commands.some(({ respondToQuery }) => respondToQuery)) return { ...output, commands };
          const isToBeNoted = (tookEvent() || run.hasOutcome) && commands.length === 0 && !run.isOver;
          run.hasOutcome = false;
          run.isOver ||= commands.some(
            (command) =>
              command.completeWorkflowExecution ??
              command.failWorkflowExecution ??
              command.cancelWorkflowExecution ??
              command.continueAsNewWorkflowExecution,
          );
          const answer = isToBeNoted ? [note()] : commands;
          delivered.answered = eventsOf(answer);
          return { ...output, commands: answer };
        },
      },
    ],
  };
}

/**
 * The command of a task that has told an event, or was told the end of something, and has led to nothing else. Behind two tasks
 * without a command, a worker that takes a run over takes the second for a part of the next one, if that is an update's; a replay
 * does not. Then what was done in two parts would have been done in one. The memo says no more than that there was such a task.
 */
const note = (): Command => ({
  modifyWorkflowProperties: { upsertedMemo: { fields: { noted: defaultPayloadConverter.toPayload(true) } } },
});

/** The SDK's id of a query that has a task of its own; others come with a workflow task. */
const ofItsOwn = 'legacy_query';
