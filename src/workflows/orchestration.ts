import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyLocalActivities,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import type { OrchestrationInput, OrchestrationResult, Outcome } from '../messages/orchestration.ts';
import type { RestartNotice } from '../prompts/coordination.ts';
import { newAttempt, runAttempt, select, votesOf, type End } from './attempt.ts';
import { attemptAttribute, outcomeAttribute } from './attributes.ts';
import { openRun } from './open-run.ts';
import { OrchestrationSurface } from './orchestration-surface.ts';
import type { Attempt, Run } from './run.ts';

const { settle } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

/**
 * A team answers a task: all agents answer, all vote, the final agent judges and presents,
 * and the whole team starts over while the result is not good enough and restarts are left
 * (MassGen's documentation, "Orchestration Restart").
 *
 * @throws `ApplicationFailure`: `InvalidInput` before anything is spent; `NoAnswer` where no agent has
 *   answered in any attempt, with every agent's reason
 */
export async function orchestration(input: OrchestrationInput): Promise<OrchestrationResult> {
  const surface = new OrchestrationSurface();
  const run = await openRun(input, surface.events);
  surface.show(run);
  let restart: RestartNotice | undefined;
  for (let number = 1; ; number++) {
    const attempt = startAttempt(run, surface, number, restart);
    const end = await endOf(run, surface, attempt);
    if (end.kind === 'over') return deliver(run, attempt, end.outcome);
    restart = handleRestart(run, attempt, end);
  }
}

function startAttempt(
  run: Run,
  surface: OrchestrationSurface,
  number: number,
  restart: RestartNotice | undefined,
): Attempt {
  const attempt = newAttempt(run, number, restart);
  run.attempt = attempt;
  upsertSearchAttributes([{ key: attemptAttribute, value: number }]);
  surface.events.attempt = number;
  const { reason, instructions } = run.restarts.at(-1) ?? {};
  surface.events.emit({
    type: 'attempt',
    maxAttempts: run.maxAttempts,
    ...(reason !== undefined && instructions !== undefined && { restart: { reason, instructions } }),
  });
  return attempt;
}

/** Runs an attempt until it ends, its time is up, or a person wants another one: these cancel its calls in flight. */
async function endOf(run: Run, surface: OrchestrationSurface, attempt: Attempt): Promise<End> {
  const work = new CancellationScope();
  const clock = new CancellationScope();
  let interruption: End | undefined;
  const interrupt = (end: End): void => {
    interruption ??= end;
    work.cancel();
  };
  const milliseconds = run.prepared.team.timeout_settings.orchestrator_timeout_seconds * 1000;
  clock
    .run(() => sleep(milliseconds, { summary: 'orchestrator timeout' }))
    .then(() => interrupt({ kind: 'over', outcome: 'timeout' }))
    .catch(() => {});
  surface.onRestartRequest((request) => interrupt({ kind: 'restart', by: 'person', ...request }));
  try {
    return interruption ?? (await work.run(() => runAttempt(run, attempt)));
  } catch (error) {
    if (interruption === undefined || !isCancellation(error)) throw error;
    if (interruption.kind === 'over' && attempt.selected === undefined) select(run, attempt);
    return interruption;
  } finally {
    clock.cancel();
  }
}

function handleRestart(run: Run, attempt: Attempt, end: End & { kind: 'restart' }): RestartNotice {
  const { by, reason, instructions } = end;
  const next = attempt.number + 1;
  run.restarts.push({ attempt: attempt.number, reason, instructions });
  run.events.emit({ type: 'restart', by, from: attempt.number, to: next, reason, instructions });
  return { attempt: next, by, reason, instructions };
}

async function deliver(run: Run, attempt: Attempt, outcome: Outcome): Promise<OrchestrationResult> {
  const { best, events, ledger, prepared, restarts } = run;
  if (best === undefined) throw noAnswer(attempt);
  if (outcome === 'timeout' || outcome === 'budget') events.emit({ type: 'stopped', why: outcome });
  if (ledger.unsettled.length > 0) ledger.settle(await settle(ledger.unsettled));
  attempt.phase = 'done';
  upsertSearchAttributes([{ key: outcomeAttribute, value: outcome }]);
  events.emit({ type: 'final', outcome, agent: best.agent, answer: best.content });
  return {
    answer: best.content,
    finalAgent: best.agent,
    attempts: attempt.number,
    restarts,
    votes: votesOf(attempt),
    outcome,
    humanQa: prepared.humanQa,
    usage: ledger.usage,
    events: events.count,
  };
}

function noAnswer(attempt: Attempt): ApplicationFailure {
  const reasons = attempt.members.map(
    ({ seat, out }) => `${seat.id}: ${out ?? 'had not answered when the time was up'}`,
  );
  return ApplicationFailure.nonRetryable(`No agent has answered.\n${reasons.join('\n')}`, 'NoAnswer');
}
