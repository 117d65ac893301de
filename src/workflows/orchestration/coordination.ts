import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import { noAction, refusalText, votingMessage } from './prompts.ts';
import {
  hasAnswer,
  isIn,
  preview,
  type Attempt,
  type OrchestrationContext,
  type Participant,
  type Participation,
  type GivenAnswer,
} from './context.ts';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { textRef } from '../agent/text-refs.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { accepted } from '../agent/prompts.ts';
import { readReply, type Action, type Reading, type Situation } from './rules/action.ts';
import { noveltyProblem } from './rules/novelty.ts';
import { customAnswer, finished, nextReply, startWork } from './participant.ts';

/**
 * The coordination of one attempt: all agents answer at the same time, and when each has answered or is out, they vote.
 * Answers and votes are then in the attempt's participants. There are none when all agents are out.
 */
export async function coordinate(context: OrchestrationContext, attempt: Attempt): Promise<void> {
  attempt.phase = 'answering';
  await Promise.all(
    attempt.participants.filter(isIn).map((participant) => takeTurn({ context, attempt, participant })),
  );
  if (!attempt.participants.some(hasAnswer)) return;
  attempt.phase = 'voting';
  for (let round = 1; await votingRound(context, attempt, round); round++);
}

/** @returns whether a new answer has made the votes of this round void, so that another round is needed */
async function votingRound(context: OrchestrationContext, attempt: Attempt, round: number): Promise<boolean> {
  context.events.emit({ type: 'voting', round });
  const voters = attempt.participants.filter(isIn);
  for (const participant of attempt.participants) participant.vote = undefined;
  for (const voter of voters) showAnswers(attempt, voter, round);

  const calls = new CancellationScope();
  let superseded = false;
  const turns = await calls.run(() =>
    Promise.allSettled(
      voters.map(async (participant) => {
        if ((await takeTurn({ context, attempt, participant })) !== 'answer') return;
        superseded = true;
        calls.cancel();
      }),
    ),
  );
  // A reply that arrived before this cancellation was still taken: its answer counts, but its vote is void.
  const failures = turns.flatMap((turn) => (turn.status === 'rejected' ? [turn.reason as unknown] : []));
  const failure = failures.find((reason) => !(superseded && isCancellation(reason)));
  if (failure !== undefined) throw failure;
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The attempt was cancelled');
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

/** After so many replies in a row that are neither an answer nor a usable vote, an agent is out. */
const maxStrikes = 3;

/** Lets an agent reply until it has acted or is out. @returns what it did; undefined when it is out */
async function takeTurn(participation: Participation): Promise<Action['kind'] | undefined> {
  const { context, attempt, participant } = participation;
  const { orchestrator } = participant.teamAgent;
  if (orchestrator.kind === 'custom' && attempt.phase === 'answering') {
    const given = await worked(participation, () => customAnswer(participation, orchestrator));
    if (given === undefined) return undefined;
    giveAnswer(context, participant, given);
    return 'answer';
  }
  while (isIn(participant)) {
    if (participant.busy !== undefined) await finished(participant.busy);
    if (participant.strikes >= maxStrikes) {
      putOut(context, participant, `${maxStrikes} replies in a row without a usable answer or vote`, false);
      return undefined;
    }
    const reply = await worked(participation, () => nextReply(participation));
    if (reply === undefined) return undefined;
    const { action, asks, uses } = takeAction(participation, reply);
    if (action !== undefined) return action.kind;
    if (asks.length + uses.length === 0) participant.strikes += 1;
    else startWork(participation, asks, uses);
  }
  return undefined;
}

/** Does work within the agent's time. @returns undefined when the work has failed and the agent is out */
async function worked<T>({ context, attempt, participant }: Participation, work: () => Promise<T>) {
  participant.state = attempt.phase === 'voting' ? 'voting' : 'answering';
  const startedAt = Date.now();
  try {
    return await work();
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (isBudgetSpent(error)) attempt.budgetSpent = true;
    const { timedOut, reason } = callFailure(error);
    putOut(context, participant, reason, timedOut);
    return undefined;
  } finally {
    // Only the agent's own work counts, so that it does not run out of time while it waits for others.
    participant.millisecondsLeft = Math.max(1, participant.millisecondsLeft - (Date.now() - startedAt));
  }
}

function putOut({ events }: OrchestrationContext, participant: Participant, reason: string, timedOut: boolean): void {
  participant.out = reason;
  participant.state = timedOut ? 'timed_out' : 'out';
  participant.teamAgent.timedOut ||= timedOut;
  events.emit({ type: 'out', agent: participant.teamAgent.id, timedOut, reason });
}

/** Takes the action in a reply, answers its other calls, and tells an agent that did nothing usable why. */
function takeAction(participation: Participation, reply: Reply): Reading {
  const { context, participant } = participation;
  const reading = readReply(reply, situationOf(participation));
  const { action, asks, results, uses } = reading;
  const problems = results.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusalText(refusal)]));
  for (const { callId, refusal } of results) {
    participant.agent.answerCall(callId, refusal === undefined ? accepted : refusalText(refusal));
  }
  if (reply.calls.length === 0) participant.agent.tell({ role: 'user', content: noAction });
  if (action?.kind === 'answer') takeAnswer(context, participant, action);
  else if (action?.kind === 'vote') takeVote(participation, action);
  else if (asks.length + uses.length === 0 || problems.length > 0) {
    const text = problems.join(' ') || noAction;
    context.events.emit({ type: 'refused', agent: participant.teamAgent.id, text });
  }
  if (action !== undefined) {
    participant.strikes = 0;
    participant.toolRounds = 0;
  }
  return reading;
}

function situationOf({ context, attempt, participant }: Participation): Situation {
  const { max_new_answers_per_agent, answer_novelty_requirement } = context.coordination;
  const shown = [...participant.shown].map(([name, content]) => ({ name, content }));
  return {
    votingOpen: attempt.phase === 'voting',
    choices: attempt.participants.filter(hasAnswer).map(({ teamAgent }) => teamAgent.name),
    answersGiven: participant.answersGiven,
    answerLimit: max_new_answers_per_agent,
    mayAsk: context.broadcast !== undefined,
    isTool: (name) => participant.teamAgent.tools?.has(name) ?? false,
    noveltyProblem: (answer) => noveltyProblem(answer, shown, answer_novelty_requirement),
  };
}

function takeAnswer(
  context: OrchestrationContext,
  participant: Participant,
  { content, callId }: Action & { kind: 'answer' },
): void {
  const segment = participant.agent.transcript?.id ?? '';
  const text = textRef(content, { segment, call: { id: callId, argument: 'content' } });
  giveAnswer(context, participant, { content, text });
}

function giveAnswer({ events }: OrchestrationContext, participant: Participant, answer: GivenAnswer): void {
  participant.answer = answer;
  participant.answersGiven += 1;
  participant.state = 'answered';
  const { id, name } = participant.teamAgent;
  const content = preview(answer.content);
  events.emit({ type: 'answer', agent: id, name, number: participant.answersGiven, content });
}

function takeVote({ context, attempt, participant }: Participation, { name, reason }: Action & { kind: 'vote' }): void {
  const chosen = attempt.participants.find(({ teamAgent }) => teamAgent.name === name)?.teamAgent.id;
  if (chosen === undefined) return;
  participant.vote = { agent: chosen, reason };
  participant.state = 'voted';
  context.events.emit({ type: 'vote', agent: participant.teamAgent.id, for: chosen, reason });
}
