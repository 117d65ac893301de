import { isBudgetSpent } from '../agent/failures.ts';
import { atWork, subtaskOf, type PlanContext } from './context.ts';
import { carryOutSubtask } from './subtask.ts';

/** Carries out the whole plan. @throws as `execute` */
export async function executePlan(context: PlanContext): Promise<void> {
  const { events, subtasks } = context;
  events.emit({ type: 'phase', phase: 'EXECUTION' });
  await execute(context, []);
  events.emit({ type: 'round_ended', what: 'plan', count: subtasks.report().length });
}

/** Case 1 of the document: what has failed runs again, and nothing else. @throws as `execute` */
export async function retryFailedSubtasks(context: PlanContext): Promise<void> {
  const { events, subtasks } = context;
  const ids = subtasks.get_failed_subtasks().map(({ id }) => id);
  events.emit({ type: 'retry_round', ids });
  subtasks.beginRound();
  await execute(context, ids);
  events.emit({ type: 'round_ended', what: 'retry', count: ids.length });
}

/** Case 2: nothing has failed, and what is missing all the same has got subtasks of its own. @throws as `execute` */
export async function executeNewPlan(context: PlanContext): Promise<void> {
  const count = context.subtasks.report().filter(({ status }) => status === 'pending').length;
  await execute(context, []);
  context.events.emit({ type: 'round_ended', what: 'new_plan', count });
}

/**
 * Carries out what is pending, as far as the graph allows: those whose dependencies are completed, side by side.
 *
 * @param again ids of those that have failed before
 * @throws `BudgetSpent`, once what is under way has ended
 */
async function execute(context: PlanContext, again: string[]): Promise<void> {
  const { settings, subtasks } = context;
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
}

async function executeOne(context: PlanContext, id: string, isRetry: boolean): Promise<void> {
  const { events, results, subtasks } = context;
  const { description, error: failure } = subtaskOf(context, id);
  subtasks.start(id);
  events.emit({ type: 'subtask_started', id, description, isRetry });
  const end = await atWork(context, id, 'answering', () => carryOutSubtask(context, id, failure));
  if ('error' in end) return fail(context, id, end.error, isRetry);
  subtasks.complete(id, end.result);
  results.set(id, end.content);
  events.emit({ type: 'subtask_completed', id, result: end.result, isRetry });
}

/** What depends on it fails too, and is not carried out. */
function fail({ events, subtasks }: PlanContext, id: string, error: string, isRetry: boolean): void {
  const before = new Set(subtasks.get_failed_subtasks().map((each) => each.id));
  subtasks.fail(id, error);
  for (const each of subtasks.get_failed_subtasks().filter((other) => !before.has(other.id))) {
    const isRun = each.id === id;
    events.emit({
      type: 'subtask_failed',
      id: each.id,
      error: each.error ?? '',
      isRun,
      isRetry: isRun && isRetry,
    });
  }
}
