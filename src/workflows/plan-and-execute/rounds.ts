import { upsertSearchAttributes } from '@temporalio/workflow';
import { isBudgetSpent } from '../agent/failures.ts';
import type { SolveOutcome } from '../../protocol/plan-and-execute.ts';
import { afterValidation } from './rules/validation.ts';
import { attemptAttribute } from '../runtime/attributes.ts';
import { answerAndCheck, resultsAsAnswer } from './answering.ts';
import { execute } from './executing.ts';
import type { Job } from './context.ts';
import { analyse, improvePlan, makePlan } from './planning.ts';

/** Solves a problem round by round (the document "Retry Optimization", Step-by-Step Flow). */
export async function solve(job: Job): Promise<SolveOutcome> {
  const { events } = job;
  try {
    beginRound(job);
    await analyse(job);
    await makePlan(job);
    events.emit({ type: 'phase', phase: 'EXECUTION' });
    await execute(job, []);
    events.emit({ type: 'round ended', what: 'plan', count: job.subtasks.report().length });
    return await judge(job);
  } catch (error) {
    if (!isBudgetSpent(error)) throw error;
    events.emit({ type: 'stopped', why: 'budget' });
    job.answer ??= resultsAsAnswer(job, error.message);
    return 'budget';
  }
}

async function judge(job: Job): Promise<SolveOutcome> {
  const { events, settings, subtasks } = job;
  for (;;) {
    await answerAndCheck(job);
    events.emit({ type: 'state summary', summary: subtasks.get_state_summary() });
    const next = afterValidation({
      validation: job.validation,
      hasFailed: subtasks.get_failed_subtasks().length > 0,
      retries: job.retries,
      maxRetries: settings.max_retries,
    });
    if (next.kind === 'done') {
      if (next.unvalidated)
        events.emit({ type: 'warning', text: 'Nobody has said whether the answer is complete' });
      return next.outcome;
    }
    job.retries += 1;
    beginRound(job);
    if (next.kind === 'retry failed') await retryFailed(job);
    else if (!(await addSubtasks(job, next.missing))) return 'partial';
  }
}

/** Case 1: what has failed runs again, and nothing else. */
async function retryFailed(job: Job): Promise<void> {
  const { events, subtasks } = job;
  const ids = subtasks.get_failed_subtasks().map(({ id }) => id);
  events.emit({ type: 'retry round', ids });
  subtasks.beginRound();
  await execute(job, ids);
  events.emit({ type: 'round ended', what: 'retry', count: ids.length });
}

/** Case 2: nothing has failed, and something is missing all the same. @returns false where the planner has no way */
async function addSubtasks(job: Job, missing: string[]): Promise<boolean> {
  const { events } = job;
  events.emit({ type: 'new plan round', missing });
  const count = await improvePlan(job, missing);
  if (count === 0) return false;
  await execute(job, []);
  events.emit({ type: 'round ended', what: 'new plan', count });
  return true;
}

function beginRound({ events, retries }: Job): void {
  events.attempt = retries + 1;
  upsertSearchAttributes([{ key: attemptAttribute, value: retries + 1 }]);
}
