import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import { votingMessage } from './prompts.ts';
import type { Attempt, Run } from './context.ts';
import { hasAnswer, type Member } from './participant.ts';
import { isIn, takeTurn } from './turn.ts';

/**
 * One attempt's coordination: all agents answer side by side; when each has answered or is out, they vote.
 * Ends with answers and votes in the attempt's members; without any answer when every agent is out.
 */
export async function coordinate(run: Run, attempt: Attempt): Promise<void> {
  attempt.phase = 'answering';
  await Promise.all(attempt.members.filter(isIn).map((member) => takeTurn(run, attempt, member)));
  if (!attempt.members.some(hasAnswer)) return;
  attempt.phase = 'voting';
  for (let round = 1; await votingRound(run, attempt, round); round++);
}

/** @returns whether a new answer made the votes of this round void, so that another one is needed */
async function votingRound(run: Run, attempt: Attempt, round: number): Promise<boolean> {
  run.events.emit({ type: 'voting', round });
  const voters = attempt.members.filter(isIn);
  for (const member of attempt.members) member.vote = undefined;
  for (const voter of voters) showAnswers(attempt, voter, round);

  const calls = new CancellationScope();
  let superseded = false;
  const turns = await calls.run(() =>
    Promise.allSettled(
      voters.map(async (voter) => {
        if ((await takeTurn(run, attempt, voter)) !== 'answer') return;
        superseded = true;
        calls.cancel();
      }),
    ),
  );
  // A reply that had arrived before this cancellation was still taken: its answer counts, its vote is void.
  const failures = turns.flatMap((turn) => (turn.status === 'rejected' ? [turn.reason as unknown] : []));
  const failure = failures.find((reason) => !(superseded && isCancellation(reason)));
  if (failure !== undefined) throw failure;
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('The attempt was cancelled');
  return superseded;
}

function showAnswers(attempt: Attempt, reader: Member, round: number): void {
  const changed = attempt.members
    .filter(hasAnswer)
    .filter(({ seat, answer }) => reader.shown.get(seat.name) !== answer.content);
  for (const { seat, answer } of changed) reader.shown.set(seat.name, answer.content);
  const shown = changed.map(({ seat, answer }) => ({
    name: seat.name,
    content: answer.text,
    yours: seat === reader.seat,
  }));
  reader.agent.tell({ role: 'user', content: votingMessage(shown, round === 1) });
}
