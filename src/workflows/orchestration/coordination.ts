import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import { votingMessage } from './prompts.ts';
import { hasAnswer, isIn, type Attempt, type OrchestrationContext, type Participant } from './context.ts';
import { takeTurn } from './turn.ts';

/**
 * One attempt's coordination: all agents answer side by side; when each has answered or is out, they vote.
 * Ends with answers and votes in the attempt's participants; without any answer when every agent is out.
 */
export async function coordinate(context: OrchestrationContext, attempt: Attempt): Promise<void> {
  attempt.phase = 'answering';
  await Promise.all(
    attempt.participants.filter(isIn).map((participant) => takeTurn(context, attempt, participant)),
  );
  if (!attempt.participants.some(hasAnswer)) return;
  attempt.phase = 'voting';
  for (let round = 1; await votingRound(context, attempt, round); round++);
}

/** @returns whether a new answer made the votes of this round void, so that another one is needed */
async function votingRound(context: OrchestrationContext, attempt: Attempt, round: number): Promise<boolean> {
  context.events.emit({ type: 'voting', round });
  const voters = attempt.participants.filter(isIn);
  for (const participant of attempt.participants) participant.vote = undefined;
  for (const voter of voters) showAnswers(attempt, voter, round);

  const calls = new CancellationScope();
  let superseded = false;
  const turns = await calls.run(() =>
    Promise.allSettled(
      voters.map(async (voter) => {
        if ((await takeTurn(context, attempt, voter)) !== 'answer') return;
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

function showAnswers(attempt: Attempt, reader: Participant, round: number): void {
  const changed = attempt.participants
    .filter(hasAnswer)
    .filter(({ teamAgent, answer }) => reader.shown.get(teamAgent.name) !== answer.content);
  for (const { teamAgent, answer } of changed) reader.shown.set(teamAgent.name, answer.content);
  const shown = changed.map(({ teamAgent, answer }) => ({
    name: teamAgent.name,
    content: answer.text,
    yours: teamAgent === reader.teamAgent,
  }));
  reader.agent.tell({ role: 'user', content: votingMessage(shown, round === 1) });
}
