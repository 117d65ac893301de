import { isCancellation } from '@temporalio/workflow';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { quote } from '../agent/text-refs.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { accepted, noAction, refusalText } from './refusals.ts';
import { readReply, type Action, type Reading, type Situation } from './rules/action.ts';
import { noveltyProblem } from './rules/novelty.ts';
import { customAnswer } from './custom-answer.ts';
import { finished, nextReply, startWork } from './participant-work.ts';
import type { Attempt, Run } from './context.ts';
import { hasAnswer, type GivenAnswer, type Member } from './participant.ts';

/** Replies in a row that may be neither an answer nor a usable vote; then the agent is out. */
const maxStrikes = 3;

export const isIn = (member: Member): boolean => member.out === undefined;

/** Lets an agent reply until it has acted or is out. @returns what it did; undefined when it is out */
export async function takeTurn(
  run: Run,
  attempt: Attempt,
  member: Member,
): Promise<Action['kind'] | undefined> {
  const { orchestrator } = member.seat;
  if (orchestrator?.kind === 'custom' && attempt.phase === 'answering') {
    const given = await worked(run, attempt, member, () => customAnswer(run, attempt, member, orchestrator));
    if (given === undefined) return undefined;
    giveAnswer(run, member, given);
    return 'answer';
  }
  while (isIn(member)) {
    if (member.busy !== undefined) await finished(member.busy);
    if (member.strikes >= maxStrikes) {
      putOut(run, member, `${maxStrikes} replies in a row without a usable answer or vote`, false);
      return undefined;
    }
    const reply = await replyOf(run, attempt, member);
    if (reply === undefined) return undefined;
    const { action, asks, uses } = takeAction(run, attempt, member, reply);
    if (action !== undefined) return action.kind;
    if (asks.length + uses.length === 0) member.strikes += 1;
    else startWork(run, attempt, member, asks, uses, othersOf(attempt, member));
  }
  return undefined;
}

const othersOf = ({ members }: Attempt, member: Member): Member[] =>
  members.filter((other) => other !== member && isIn(other));

/** One reply of a model, within the agent's time. */
const replyOf = (run: Run, attempt: Attempt, member: Member): Promise<Reply | undefined> =>
  worked(run, attempt, member, () => nextReply(run, attempt, member));

/** Work within the agent's time. @returns undefined when the agent is out instead */
async function worked<T>(
  run: Run,
  attempt: Attempt,
  member: Member,
  work: () => Promise<T>,
): Promise<T | undefined> {
  member.state = attempt.phase === 'voting' ? 'voting' : 'answering';
  const startedAt = Date.now();
  try {
    return await work();
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (isBudgetSpent(error)) attempt.budgetSpent = true;
    const { timedOut, reason } = callFailure(error);
    putOut(run, member, reason, timedOut);
    return undefined;
  } finally {
    // Only its own work counts: an agent that waits for the others does not run out of time.
    member.millisecondsLeft = Math.max(1, member.millisecondsLeft - (Date.now() - startedAt));
  }
}

function putOut(run: Run, member: Member, reason: string, timedOut: boolean): void {
  member.out = reason;
  member.state = timedOut ? 'timed out' : 'out';
  member.seat.timedOut ||= timedOut;
  run.events.emit({ type: 'out', agent: member.seat.id, timedOut, reason });
}

/** Takes the action that the reply holds; an agent without one, that neither asks nor uses tools, is told why. */
function takeAction(run: Run, attempt: Attempt, member: Member, reply: Reply): Reading {
  const reading = readReply(reply, situationOf(run, attempt, member));
  const { action, asks, results, uses } = reading;
  const problems = results.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusalText(refusal)]));
  for (const { callId, refusal } of results) {
    member.agent.answerCall(callId, refusal === undefined ? accepted : refusalText(refusal));
  }
  if (reply.calls.length === 0) member.agent.tell({ role: 'user', content: noAction });
  if (action?.kind === 'answer') takeAnswer(run, member, action);
  else if (action?.kind === 'vote') takeVote(run, attempt, member, action);
  else if (asks.length + uses.length === 0 || problems.length > 0) {
    run.events.emit({ type: 'refused', agent: member.seat.id, text: problems.join(' ') || noAction });
  }
  if (action !== undefined) {
    member.strikes = 0;
    member.toolRounds = 0;
  }
  return reading;
}

function situationOf(run: Run, attempt: Attempt, member: Member): Situation {
  const { max_new_answers_per_agent, answer_novelty_requirement } = run.coordination;
  const shown = [...member.shown].map(([name, content]) => ({ name, content }));
  return {
    votingOpen: attempt.phase === 'voting',
    choices: attempt.members.filter(hasAnswer).map(({ seat }) => seat.name),
    answersGiven: member.answersGiven,
    answerLimit: max_new_answers_per_agent,
    mayAsk: run.broadcast !== undefined,
    isTool: (name) => member.seat.toolbox?.has(name) ?? false,
    noveltyProblem: (answer) => noveltyProblem(answer, shown, answer_novelty_requirement),
  };
}

function takeAnswer(run: Run, member: Member, { content, callId }: Action & { kind: 'answer' }): void {
  const segment = member.agent.transcript?.id ?? '';
  const text = quote(content, { segment, call: { id: callId, argument: 'content' } });
  giveAnswer(run, member, { content, text });
}

function giveAnswer(run: Run, member: Member, answer: GivenAnswer): void {
  member.answer = answer;
  member.answersGiven += 1;
  member.state = 'answered';
  const { id, name } = member.seat;
  run.events.emit({
    type: 'answer',
    agent: id,
    name,
    number: member.answersGiven,
    content: preview(answer.content),
  });
}

function takeVote(run: Run, attempt: Attempt, member: Member, action: Action & { kind: 'vote' }): void {
  const chosen = attempt.members.find(({ seat }) => seat.name === action.name);
  if (chosen === undefined) return;
  member.vote = { agent: chosen.seat.id, reason: action.reason };
  member.state = 'voted';
  run.events.emit({ type: 'vote', agent: member.seat.id, for: chosen.seat.id, reason: action.reason });
}

/** Events are for looking at: the whole text is in the transcript. */
export function preview(text: string): string {
  return text.length <= 2000 ? text : `${text.slice(0, 2000)}…`;
}
