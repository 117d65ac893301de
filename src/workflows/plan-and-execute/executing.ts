import { isBudgetSpent } from '../agent/failures.ts';
import { atWork, subtaskOf, type Job } from './context.ts';
import { carryOutSubtask } from './subtask.ts';

/**
 * Carries out what is pending, as far as the graph allows: those whose dependencies are completed, side by side.
 *
 * @param again ids of those that have failed before
 * @throws `BudgetSpent`, once what is under way has ended
 */
export async function execute(job: Job, again: string[]): Promise<void> {
  const { settings, subtasks } = job;
  job.phase = 'executing';
  const running = new Map<string, Promise<void>>();
  let spent: unknown;
  for (;;) {
    const ready = spent === undefined ? subtasks.next(running.size, settings.max_parallel_subtasks) : [];
    for (const id of ready) {
      const work = executeOne(job, id, again.includes(id))
        .catch((error: unknown) => {
          if (!isBudgetSpent(error)) throw error;
          spent = error;
          fail(job, id, error.message, false);
        })
        .finally(() => running.delete(id));
      running.set(id, work);
    }
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  if (spent !== undefined) throw spent;
}

async function executeOne(job: Job, id: string, isRetry: boolean): Promise<void> {
  const { events, results, subtasks } = job;
  const { description, error: failure } = subtaskOf(job, id);
  subtasks.start(id);
  events.emit({ type: 'subtask started', id, description, isRetry });
  const end = await atWork(job, id, 'answering', () => carryOutSubtask(job, id, failure));
  if ('error' in end) return fail(job, id, end.error, isRetry);
  subtasks.complete(id, end.result);
  results.set(id, end.content);
  events.emit({ type: 'subtask completed', id, result: end.result, isRetry });
}

/** What depends on it fails too, and is not carried out. */
function fail({ events, subtasks }: Job, id: string, error: string, isRetry: boolean): void {
  const before = new Set(subtasks.get_failed_subtasks().map((each) => each.id));
  subtasks.fail(id, error);
  for (const each of subtasks.get_failed_subtasks().filter((other) => !before.has(other.id))) {
    const isRun = each.id === id;
    events.emit({
      type: 'subtask failed',
      id: each.id,
      error: each.error ?? '',
      isRun,
      isRetry: isRun && isRetry,
    });
  }
}
