import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import { noAction, refusalText, votingMessage } from './prompts.ts';
import {
  hasAnswer,
  isIn,
  preview,
  type Attempt,
  type OrchestrationContext,
  type Participant,
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
 * One attempt's coordination: all agents answer side by side; when each has answered or is out, they vote.
 * Ends with answers and votes in the attempt's participants; without any answer when every agent is out.
 */
export async function coordinate(context: OrchestrationContext, attempt: Attempt): Promise<void> {
  attempt.phase = 'answering';
  await Promise.all(attempt.participants.filter(isIn).map((participant) => takeTurn(context, attempt, participant)));
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

/** Replies in a row that may be neither an answer nor a usable vote; then the agent is out. */
const maxStrikes = 3;

/** Lets an agent reply until it has acted or is out. @returns what it did; undefined when it is out */
async function takeTurn(
  context: OrchestrationContext,
  attempt: Attempt,
  participant: Participant,
): Promise<Action['kind'] | undefined> {
  const { orchestrator } = participant.teamAgent;
  if (orchestrator.kind === 'custom' && attempt.phase === 'answering') {
    const given = await worked(context, attempt, participant, () =>
      customAnswer(context, attempt, participant, orchestrator),
    );
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
    const reply = await replyOf(context, attempt, participant);
    if (reply === undefined) return undefined;
    const { action, asks, uses } = takeAction(context, attempt, participant, reply);
    if (action !== undefined) return action.kind;
    if (asks.length + uses.length === 0) participant.strikes += 1;
    else startWork(context, attempt, participant, asks, uses);
  }
  return undefined;
}

/** One reply of a model, within the agent's time. */
const replyOf = (
  context: OrchestrationContext,
  attempt: Attempt,
  participant: Participant,
): Promise<Reply | undefined> => worked(context, attempt, participant, () => nextReply(context, attempt, participant));

/** Work within the agent's time. @returns undefined when the agent is out instead */
async function worked<T>(
  context: OrchestrationContext,
  attempt: Attempt,
  participant: Participant,
  work: () => Promise<T>,
): Promise<T | undefined> {
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
    // Only its own work counts: an agent that waits for the others does not run out of time.
    participant.millisecondsLeft = Math.max(1, participant.millisecondsLeft - (Date.now() - startedAt));
  }
}

function putOut(context: OrchestrationContext, participant: Participant, reason: string, timedOut: boolean): void {
  participant.out = reason;
  participant.state = timedOut ? 'timed_out' : 'out';
  participant.teamAgent.timedOut ||= timedOut;
  context.events.emit({ type: 'out', agent: participant.teamAgent.id, timedOut, reason });
}

/** Takes the action that the reply holds; an agent without one, that neither asks nor uses tools, is told why. */
function takeAction(context: OrchestrationContext, attempt: Attempt, participant: Participant, reply: Reply): Reading {
  const reading = readReply(reply, situationOf(context, attempt, participant));
  const { action, asks, results, uses } = reading;
  const problems = results.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusalText(refusal)]));
  for (const { callId, refusal } of results) {
    participant.agent.answerCall(callId, refusal === undefined ? accepted : refusalText(refusal));
  }
  if (reply.calls.length === 0) participant.agent.tell({ role: 'user', content: noAction });
  if (action?.kind === 'answer') takeAnswer(context, participant, action);
  else if (action?.kind === 'vote') takeVote(context, attempt, participant, action);
  else if (asks.length + uses.length === 0 || problems.length > 0) {
    context.events.emit({
      type: 'refused',
      agent: participant.teamAgent.id,
      text: problems.join(' ') || noAction,
    });
  }
  if (action !== undefined) {
    participant.strikes = 0;
    participant.toolRounds = 0;
  }
  return reading;
}

function situationOf(context: OrchestrationContext, attempt: Attempt, participant: Participant): Situation {
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

function giveAnswer(context: OrchestrationContext, participant: Participant, answer: GivenAnswer): void {
  participant.answer = answer;
  participant.answersGiven += 1;
  participant.state = 'answered';
  const { id, name } = participant.teamAgent;
  context.events.emit({
    type: 'answer',
    agent: id,
    name,
    number: participant.answersGiven,
    content: preview(answer.content),
  });
}

function takeVote(
  context: OrchestrationContext,
  attempt: Attempt,
  participant: Participant,
  action: Action & { kind: 'vote' },
): void {
  const chosen = attempt.participants.find(({ teamAgent }) => teamAgent.name === action.name);
  if (chosen === undefined) return;
  participant.vote = { agent: chosen.teamAgent.id, reason: action.reason };
  participant.state = 'voted';
  context.events.emit({
    type: 'vote',
    agent: participant.teamAgent.id,
    for: chosen.teamAgent.id,
    reason: action.reason,
  });
}
