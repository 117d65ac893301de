import { CancellationScope } from '@temporalio/workflow';
import type { Opening } from '../agent/agent.ts';
import { isBudgetSpent } from '../agent/failures.ts';
import type { Requester } from '../../protocol/events.ts';
import type { Outcome } from '../../protocol/orchestration.ts';
import { systemMessage, plainTask, taskMessage, type RestartNotice } from './prompts.ts';
import { winnerOf, type Vote } from './rules/ballot.ts';
import type { Decision } from './rules/decision.ts';
import { coordinate } from './coordination.ts';
import { judge } from './judging.ts';
import { evaluator, present, reviewer } from './final-agent.ts';
import type { Attempt, Run } from './context.ts';
import { hasAnswer, newMember, type AnsweredMember, type Seat } from './participant.ts';

/** How an attempt ended: the run is over, or there is to be another attempt. */
export type End =
  | { kind: 'over'; outcome: Outcome }
  | { kind: 'restart'; by: Requester; reason: string; instructions: string };

/** Seats the team for an attempt: fresh conversations, no answers, no votes. */
export function newAttempt(run: Run, number: number, restart: RestartNotice | undefined): Attempt {
  const { agent_timeout_seconds } = run.team.timeout_settings;
  const opening = (seat: Seat): Opening => ({
    system: systemMessage(seat.persona, run.duties.coordination),
    transcript: run.conversation,
    messages: [...run.history, { role: 'user', content: taskMessage(run.task, restart) }],
  });
  return {
    number,
    phase: 'answering',
    brief: plainTask(run.plain.task, restart),
    members: run.seats.map((seat) =>
      newMember(seat, run.caller, opening(seat), agent_timeout_seconds, `${run.turn}.${number}.${seat.id}`),
    ),
    selected: undefined,
    budgetSpent: false,
    scope: new CancellationScope(),
  };
}

/** Coordinates, selects, judges and presents. Leaves the best answer so far in `run.best`. */
export async function runAttempt(run: Run, attempt: Attempt): Promise<End> {
  await coordinate(run, attempt);
  const selected = select(run, attempt);
  if (attempt.budgetSpent) return over('budget');
  if (run.seats.every((seat) => seat.timedOut)) return over('timeout');
  if (selected === undefined) {
    run.events.emit({ type: 'warning', text: 'No agent has answered in this attempt' });
    return over('restart_limit');
  }
  try {
    return await finish(run, attempt, selected);
  } catch (error) {
    if (!isBudgetSpent(error)) throw error;
    return over('budget');
  }
}

const over = (outcome: Outcome): End => ({ kind: 'over', outcome });

export function votesOf(attempt: Attempt): Vote[] {
  return attempt.members.flatMap(({ seat, vote }) => (vote ? [{ voter: seat.id, ...vote }] : []));
}

/** The winner of the vote, whose answer becomes the run's best; undefined when all agents are out without one. */
export function select(run: Run, attempt: Attempt): AnsweredMember | undefined {
  const candidates = attempt.members.filter(hasAnswer);
  const votes = votesOf(attempt);
  const winner = winnerOf(
    candidates.map(({ seat }) => seat.id),
    votes,
  );
  const selected = candidates.find(({ seat }) => seat.id === winner);
  if (selected === undefined) return undefined;
  attempt.selected = selected;
  run.best = { agent: selected.seat.id, content: selected.answer.content };
  const counts = candidates.map(({ seat }) => [
    seat.id,
    votes.filter(({ agent }) => agent === seat.id).length,
  ]);
  run.events.emit({ type: 'selected', agent: selected.seat.id, votes: Object.fromEntries(counts) });
  return selected;
}

/** Decision and presentation, in the order of the evaluation mode; with no restarts configured nobody judges. */
async function finish(run: Run, attempt: Attempt, selected: AnsweredMember): Promise<End> {
  const { max_orchestration_restarts, enable_post_presentation_evaluation: presentFirst } = run.coordination;
  const final = reviewer(run, attempt, selected);
  let decision: Decision = { kind: 'submit' };
  if (max_orchestration_restarts > 0 && !presentFirst) {
    decision = await judge(run, attempt, final, 'decide');
    const restart = restartOf(run, attempt, decision);
    if (restart !== undefined) return restart;
  }
  const presented = await present(run, attempt, final, selected.answer);
  run.best = { agent: selected.seat.id, content: presented.content };
  if (max_orchestration_restarts > 0 && presentFirst) {
    run.events.emit({ type: 'evaluating', agent: selected.seat.id });
    decision = await judge(run, attempt, evaluator(run, selected, presented.text), 'evaluate');
    const restart = restartOf(run, attempt, decision);
    if (restart !== undefined) return restart;
  }
  return over(decision.kind === 'restart' ? 'restart_limit' : 'submitted');
}

/** The restart that the judge asks for, if it may have it. */
function restartOf(run: Run, attempt: Attempt, decision: Decision): End | undefined {
  if (decision.kind === 'submit') return undefined;
  if (attempt.number < run.maxAttempts) return { ...decision, by: 'final agent' };
  run.events.emit({ type: 'restart refused', by: 'final agent', reason: decision.reason });
  return undefined;
}
