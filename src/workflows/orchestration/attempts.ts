import {
  ApplicationFailure,
  isCancellation,
  CancellationScope,
  condition,
  proxyLocalActivities,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import { storeTexts } from '../agent/text-refs.ts';
import type { NewMessage, Text, TranscriptRef } from '../../protocol/message.ts';
import type { EarlierMessage, OrchestrationResult, Outcome } from '../../protocol/orchestration.ts';
import type { RestartNotice } from './prompts.ts';
import { newAttempt, runAttempt, select, votesOf, type End } from './attempt.ts';
import { attemptAttribute } from '../runtime/attributes.ts';
import type { Attempt, Crew, Run } from './context.ts';
import { viewOf } from './view.ts';
import type { Surface } from '../runtime/run-handlers.ts';
import type { Seat } from './participant.ts';

const { settle } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

/** A task with what was said before it, by reference where it is long. */
export interface Task {
  task: Text;
  history: NewMessage[];
  conversation: TranscriptRef | null;
  plain: Run['plain'];
  /** Number of the session's turn; 0 outside of sessions. */
  turn: number;
}

export async function storeTask(
  task: string,
  history: EarlierMessage[],
): Promise<Pick<Task, 'task' | 'history'>> {
  const [stored = '', ...said] = await storeTexts([task, ...history.map(({ content }) => content)]);
  return {
    task: stored,
    history: history.map(({ role, content }, index) => ({ role, content: said[index] ?? content })),
  };
}

/** A team's work on one task. */
export function newRun(crew: Crew, seats: Seat[], task: Task): Run {
  return { ...crew, ...task, seats, restarts: [], best: undefined, attempt: undefined };
}

/**
 * Has a team work on a task until its result is good enough or a limit is reached.
 *
 * @throws `ApplicationFailure` of type `NoAnswer` where no agent has answered in any attempt, with every agent's reason
 */
export async function runTask(run: Run, surface: Surface): Promise<OrchestrationResult> {
  surface.show(viewOf(run));
  let restart: RestartNotice | undefined;
  for (let number = 1; ; number++) {
    const attempt = startAttempt(run, number, restart);
    const end = await endOf(run, surface, attempt);
    if (end.kind === 'over') return deliver(run, attempt, end.outcome);
    restart = handleRestart(run, attempt, end);
  }
}

function startAttempt(run: Run, number: number, restart: RestartNotice | undefined): Attempt {
  const attempt = newAttempt(run, number, restart);
  run.attempt = attempt;
  upsertSearchAttributes([{ key: attemptAttribute, value: number }]);
  run.events.attempt = number;
  const { reason, instructions } = run.restarts.at(-1) ?? {};
  run.events.emit({
    type: 'attempt',
    maxAttempts: run.maxAttempts,
    ...(reason !== undefined && instructions !== undefined && { restart: { reason, instructions } }),
  });
  return attempt;
}

/** Runs an attempt until it ends, its time is up, or a person wants another one: these cancel its calls in flight. */
async function endOf(run: Run, surface: Surface, attempt: Attempt): Promise<End> {
  const { scope } = attempt;
  const clock = new CancellationScope();
  let interruption: End | undefined;
  const interrupt = (end: End): void => {
    interruption ??= end;
    scope.cancel();
  };
  clock
    .run(() => timeUp(run))
    .then(() => interrupt({ kind: 'over', outcome: 'timeout' }))
    .catch(() => {});
  surface.onRestartRequest((request) => interrupt({ kind: 'restart', by: 'person', ...request }));
  try {
    return interruption ?? (await scope.run(() => runAttempt(run, attempt)));
  } catch (error) {
    if (interruption === undefined || !isCancellation(error)) throw error;
    if (interruption.kind === 'over' && attempt.selected === undefined) select(run, attempt);
    return interruption;
  } finally {
    clock.cancel();
  }
}

/** The orchestrator's time stands still while a question waits for the person. */
async function timeUp({ team, desk }: Run): Promise<void> {
  let left = team.timeout_settings.orchestrator_timeout_seconds * 1000;
  while (left > 0) {
    const waitedBefore = desk.waited;
    await sleep(left, { summary: 'orchestrator timeout' });
    await condition(() => desk.pending.length === 0);
    left = desk.waited - waitedBefore;
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
  const { best, desk, events, ledger, restarts } = run;
  if (best === undefined) throw noAnswer(attempt);
  if (outcome === 'timeout' || outcome === 'budget') events.emit({ type: 'stopped', why: outcome });
  if (ledger.unsettled.length > 0) ledger.settle(await settle(ledger.unsettled));
  attempt.phase = 'done';
  events.emit({ type: 'final', outcome, agent: best.agent, answer: best.content });
  return {
    answer: best.content,
    finalAgent: best.agent,
    attempts: attempt.number,
    restarts,
    votes: votesOf(attempt),
    outcome,
    humanQa: desk.history,
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
