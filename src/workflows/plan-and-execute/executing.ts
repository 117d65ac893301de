import { isBudgetSpent } from '../agent/failures.ts';
import { atWork } from '../agent/structured-output.ts';
import { subtaskOf, type PlanContext } from './context.ts';
import { carryOutSubtask } from './subtask.ts';

/**
 * Carries out the pending subtasks, each as soon as its dependencies are completed, several in parallel.
 *
 * @param what the first plan; `retry`, what has failed and nothing else (the document's case 1); or subtasks that were added,
 *   for what is missing (case 2) or around dead ends
 * @param again ids of those that have failed before
 * @throws `ApplicationFailure` of type `BudgetSpent`, once the subtasks under way have ended
 */
export async function execute(
  context: PlanContext,
  what: 'plan' | 'retry' | 'new_plan',
  again: string[] = [],
): Promise<void> {
  const { events, settings, subtasks } = context;
  const count = subtasks.get_state_summary().subtasks_pending;
  if (what === 'plan') events.emit({ type: 'phase', phase: 'EXECUTION' });
  if (what === 'retry') events.emit({ type: 'retry_round', ids: again });
  context.phase = 'executing';
  const running = new Map<string, Promise<void>>();
  let spent: unknown;
  for (;;) {
    const ready = spent === undefined ? subtasks.next(running.size, settings.max_parallel_subtasks) : [];
    for (const id of ready) {
      const work = executeOne(context, id, again.includes(id))
        .catch((error: unknown) => {
          if (!isBudgetSpent(error)) throw error;
          spent = error;
          fail(context, id, error.message, false);
        })
        .finally(() => running.delete(id));
      running.set(id, work);
    }
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  if (spent !== undefined) throw spent;
  events.emit({ type: 'round_ended', what, count });
}

async function executeOne(context: PlanContext, id: string, isRetry: boolean): Promise<void> {
  const { events, files, results, subtasks } = context;
  const { description, error: failure } = subtaskOf(context, id);
  subtasks.start(id);
  events.emit({ type: 'subtask_started', id, description, isRetry });
  const workspace = files?.open();
  const end = await atWork(context, id, 'answering', () => carryOutSubtask(context, id, failure, workspace));
  if ('error' in end) return fail(context, id, end.error, isRetry);
  if (workspace !== undefined) await files?.take(id, workspace);
  subtasks.complete(id, end.result, context.retries + 1);
  results.set(id, end.content);
  events.emit({ type: 'subtask_completed', id, result: end.result, isRetry });
}

function fail({ events, subtasks }: PlanContext, id: string, error: string, isRetry: boolean): void {
  const before = new Set(subtasks.get_failed_subtasks().map((each) => each.id));
  subtasks.fail(id, error);
  for (const each of subtasks.get_failed_subtasks().filter((other) => !before.has(other.id))) {
    const isRun = each.id === id;
    events.emit({ type: 'subtask_failed', id: each.id, error: each.error ?? '', isRun, isRetry: isRun && isRetry });
  }
}
