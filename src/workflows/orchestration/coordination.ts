import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import { showFiles, tellFiles } from './files.ts';
import { answerByCall, noAction, refusalText, voteByCall, votingMessage } from './prompts.ts';
import {
  answersText,
  namesOf,
  candidatesOf,
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
import { wholeText } from '../agent/whole-reply.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { accepted } from '../agent/prompts.ts';
import { readReply, type Action, type Reading, type Situation } from './rules/action.ts';
import { noveltyProblem } from './rules/novelty.ts';
import { saidIn } from './rules/written-answer.ts';
import {
  answerAmong,
  customAnswer,
  isDebris,
  nextReply,
  proseOf,
  purposeOf,
  startWork,
  timeLeft,
} from './participant.ts';

/**
 * All agents answer at the same time, and when each has answered or is out, they vote. What comes of it is in the attempt's
 * participants: nothing, when all agents are out.
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
  for (const participant of attempt.participants)
    Object.assign(participant, { vote: undefined, textReply: undefined } satisfies Partial<Participant>);
  // Who votes is shown what the answers have changed in files.
  await Promise.all(attempt.participants.flatMap(({ pendingDiff }) => pendingDiff ?? []));
  const changed = candidatesOf(attempt).filter(({ name, answer }) => attempt.shown.get(name) !== answer.content);
  for (const { name, answer } of changed) attempt.shown.set(name, answer.content);
  const list = await answersText(changed);
  for (const voter of voters) {
    const content = votingMessage(list, namesOf(changed, voter.teamAgent), round === 1);
    voter.agent.tell({ role: 'user', content });
    showFiles(context, attempt, voter);
  }

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

/** After so many replies in a row that are neither an answer nor a usable vote, an agent is out. */
const maxInvalidReplies = 3;

/** @returns what the agent has done; undefined when it is out */
async function takeTurn(participation: Participation): Promise<Action['kind'] | undefined> {
  const { context, attempt, participant } = participation;
  const { orchestrator } = participant.teamAgent;
  if (orchestrator.kind === 'custom' && attempt.phase === 'answering') {
    const given = await worked(participation, () => customAnswer(participation, orchestrator));
    if (given === undefined) return undefined;
    // Its code need not wait for its calls.
    if (participant.workspace !== undefined) await participant.workspace.settled();
    giveAnswer(context, participant, given);
    return 'answer';
  }
  while (isIn(participant)) {
    if (participant.pendingCalls !== undefined && !(await calledAll(participation, participant.pendingCalls))) break;
    if (participant.invalidReplies >= maxInvalidReplies) {
      const why = `${maxInvalidReplies} replies in a row without a usable answer or vote`;
      const reason = participant.lastProblem === '' ? why : `${why}: ${participant.lastProblem}`;
      failParticipant(participation, reason, 'unusable');
      break;
    }
    const { end } = participant.refusals;
    if (end !== undefined) {
      failParticipant(participation, end, 'unusable');
      break;
    }
    const reply = await worked(participation, () => nextReply(participation));
    if (reply === undefined) break;
    if (reply.calls.length === 0) {
      const taken = await takeText(participation, reply);
      if (taken === 'nothing') continue;
      return taken === 'no_vote' ? undefined : taken;
    }
    const { action, asks, uses } = takeAction(participation, reply);
    if (action !== undefined) return action.kind;
    if (asks.length + uses.length === 0) participant.invalidReplies += 1;
    else startWork(participation, asks, uses);
  }
  return undefined;
}

/**
 * Takes a reply without any call. Prose is nudged towards the tool once, and is then what it was written for: an answer where
 * one was asked for, and no vote, since a verdict is never read from prose.
 */
async function takeText(participation: Participation, reply: Reply): Promise<Action['kind'] | 'no_vote' | 'nothing'> {
  const { context, attempt, participant } = participation;
  const { agent, teamAgent } = participant;
  const refuse = (text: string): 'nothing' => {
    participant.invalidReplies += 1;
    agent.tell({ role: 'user', content: text });
    context.events.emit({ type: 'refused', agent: teamAgent.id, text });
    return 'nothing';
  };
  if (reply.content.trim() === '') return refuse(noAction);
  const isFirst = participant.textReply === undefined;
  if (participant.calling === 'unknown') participant.calling = 'by_schema';
  participant.textReply = answerAmong(participant.textReply, proseOf(participation, reply), context.plain.task);
  // What has taken all the room for a reply would not fit into a call either, and a model that calls only by a schema has been
  // nudged before.
  const isAll = reply.isFull || agent.callsBySchema;
  const isTaken = attempt.phase === 'answering' && isAll && !isDebris(participant.textReply, context.plain.task);
  if (isFirst && !isTaken) return refuse(attempt.phase === 'voting' ? voteByCall : answerByCall);
  if (attempt.phase === 'voting') {
    Object.assign(participant, {
      state: 'waiting',
      invalidReplies: 0,
      textReply: undefined,
    } satisfies Partial<Participant>);
    context.events.emit({ type: 'no_vote', agent: teamAgent.id });
    return 'no_vote';
  }
  if (participant.textReply.isCut) {
    // When this fails, the agent is out, and what there is counts as its answer.
    const whole = await worked(participation, () => wholeText(agent, reply, purposeOf(participation)));
    if (whole === undefined) return 'answer';
    const said = saidIn(whole.text);
    const given = { ...whole, content: said, text: said === whole.text ? whole.content : said };
    const isSame = said.startsWith(participant.textReply.content);
    participant.textReply = isSame ? given : answerAmong(participant.textReply, given, context.plain.task);
  }
  takeProse(context, participant);
  return 'answer';
}

export function takeProse(context: OrchestrationContext, participant: Participant): void {
  if (participant.textReply !== undefined) giveAnswer(context, participant, participant.textReply, true);
}

/**
 * Waits for an agent's calls of tools and of others. It rejects when the round ends first.
 * @returns false where a call has waited until the budget was spent, and the agent is out
 */
async function calledAll(participation: Participation, calls: Promise<void>): Promise<boolean> {
  try {
    await Promise.race([calls, CancellationScope.current().cancelRequested]);
    return true;
  } catch (error) {
    if (!isBudgetSpent(error)) throw error;
    participation.attempt.budgetSpent = true;
    failParticipant(participation, error.message, 'failed');
    return false;
  }
}

/** @returns undefined when the work has failed and the agent is out */
async function worked<T>(participation: Participation, work: () => Promise<T>) {
  const { attempt, context, participant } = participation;
  participant.state = attempt.phase === 'voting' ? 'voting' : 'answering';
  const waited = context.requests.waitsOf(participant.teamAgent.id).milliseconds;
  participant.working = { since: Date.now(), waited };
  try {
    return await work();
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (isBudgetSpent(error)) attempt.budgetSpent = true;
    const { timedOut, reason } = callFailure(error);
    failParticipant(participation, reason, timedOut ? 'timed_out' : 'failed');
    return undefined;
  } finally {
    participant.millisecondsLeft = timeLeft(participation);
    participant.working = undefined;
  }
}

/** Puts an agent out of the attempt. The prose that it was nudged for while it answered is all that it will ever give. */
function failParticipant(
  { attempt, context, participant }: Participation,
  reason: string,
  how: 'failed' | 'timed_out' | 'unusable',
): void {
  const { events } = context;
  const timedOut = how === 'timed_out';
  if (attempt.phase === 'answering') takeProse(context, participant);
  participant.out = reason;
  participant.isUnusable = how === 'unusable';
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
  if (action?.kind === 'answer') {
    const { callId, content } = action;
    const segment = participant.agent.transcript?.id ?? '';
    const text = textRef(content, { segment, call: { id: callId, argument: 'content' } });
    giveAnswer(context, participant, { content, text });
  } else if (action?.kind === 'vote') takeVote(participation, action);
  else if (asks.length + uses.length === 0 || problems.length > 0) {
    const text = problems.join(' ') || noAction;
    participant.lastProblem = problems.join(' ');
    context.events.emit({ type: 'refused', agent: participant.teamAgent.id, text });
  }
  return reading;
}

function situationOf({ context, attempt, participant }: Participation): Situation {
  const { max_new_answers_per_agent, answer_novelty_requirement } = context.coordination;
  const shown = [...attempt.shown].map(([name, content]) => ({ name, content }));
  return {
    votingOpen: attempt.phase === 'voting',
    choices: candidatesOf(attempt).map(({ name }) => name),
    answersGiven: participant.answersGiven,
    answerLimit: max_new_answers_per_agent,
    mayAsk: context.broadcast !== undefined,
    isTool: (name) => participant.tools?.has(name) ?? false,
    noveltyProblem: (answer) => noveltyProblem(answer, shown, answer_novelty_requirement),
  };
}

function giveAnswer(
  context: OrchestrationContext,
  participant: Participant,
  given: GivenAnswer,
  isProse = false,
): void {
  const { attempt, events } = context;
  const { teamAgent, workspace } = participant;
  const answer = workspace === undefined ? given : { ...given, tree: workspace.tree };
  acted(participant, { state: 'answered', answer });
  participant.answersGiven += 1;
  const { id, name } = teamAgent;
  const content = preview(answer.content);
  const number = participant.answersGiven;
  events.emit({ type: 'answer', agent: id, name, number, content, ...(isProse && { fromProse: true }) });
  // An attempt that ends meanwhile does without: the files are its answer's all the same.
  if (workspace !== undefined)
    participant.pendingDiff = attempt?.scope.run(() => tellFiles(context, teamAgent, answer)).catch(() => {});
}

function acted(participant: Participant, given: Partial<Participant>): void {
  Object.assign(participant, { invalidReplies: 0, toolRounds: 0, textReply: undefined, ...given });
  participant.refusals.succeeded();
}

function takeVote({ context, attempt, participant }: Participation, { name, reason }: Action & { kind: 'vote' }): void {
  const chosen = candidatesOf(attempt).find((candidate) => candidate.name === name);
  if (chosen === undefined) return;
  acted(participant, { state: 'voted', vote: { name, reason } });
  const from = chosen.attempt !== attempt.number && { from: chosen.attempt };
  context.events.emit({ type: 'vote', agent: participant.teamAgent.id, for: chosen.teamAgent.id, reason, ...from });
}
