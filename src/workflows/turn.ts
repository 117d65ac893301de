import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { callFailure, isBudgetSpent } from '../agents/failures.ts';
import { quote } from '../agents/stored-texts.ts';
import type { Reply } from '../messages/model-call.ts';
import { accepted, noAction, refusalText } from '../prompts/refusals.ts';
import { readReply, type Action, type AskCall, type Reading, type Situation } from '../rules/action.ts';
import { noveltyProblem } from '../rules/novelty.ts';
import { whenOf, type Attempt, type Run } from './run.ts';
import { hasAnswer, type Member } from './team.ts';

/** Replies in a row that may be neither an answer nor a usable vote; then the agent is out. */
const maxStrikes = 3;

export const isIn = (member: Member): boolean => member.out === undefined;

/** Lets an agent reply until it has acted or is out. @returns what it did; undefined when it is out */
export async function takeTurn(
  run: Run,
  attempt: Attempt,
  member: Member,
): Promise<Action['kind'] | undefined> {
  while (isIn(member)) {
    if (member.asked !== undefined) await responses(member.asked);
    if (member.strikes >= maxStrikes) {
      putOut(run, member, `${maxStrikes} replies in a row without a usable answer or vote`, false);
      return undefined;
    }
    const reply = await replyOf(run, attempt, member);
    if (reply === undefined) return undefined;
    const { action, asks } = takeAction(run, attempt, member, reply);
    if (action !== undefined) return action.kind;
    if (asks.length > 0) startAsking(run, attempt, member, asks);
    else member.strikes += 1;
  }
  return undefined;
}

/** The questions go on when a new answer ends this round of voting: the next one waits for them. */
async function responses(asked: Promise<void>): Promise<void> {
  await Promise.race([asked, CancellationScope.current().cancelRequested]);
}

function startAsking({ broadcast }: Run, attempt: Attempt, member: Member, asks: AskCall[]): void {
  const others = attempt.members.filter((other) => other !== member && isIn(other));
  member.state = 'asking';
  member.asked = attempt.scope.run(async () => {
    const colleagues = others.map(({ colleague }) => colleague);
    const reached = await broadcast?.answerCalls(member.colleague, asks, colleagues, whenOf(attempt));
    if (!reached) member.strikes += 1;
    member.asked = undefined;
  });
  // Whoever waits for it is told; an attempt that ends has nobody who does.
  member.asked.catch(() => {});
}

/** One reply within the agent's time. @returns undefined when the agent is out instead */
async function replyOf(run: Run, attempt: Attempt, member: Member): Promise<Reply | undefined> {
  const voting = attempt.phase === 'voting';
  member.state = voting ? 'voting' : 'answering';
  const startedAt = Date.now();
  try {
    return await member.agent.reply(
      { what: voting ? 'vote' : 'answer', when: whenOf(attempt), timeout: member.millisecondsLeft },
      run.toolSets.coordination,
    );
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

/** Takes the action that the reply holds; an agent without one, that does not ask either, is told why. */
function takeAction(run: Run, attempt: Attempt, member: Member, reply: Reply): Reading {
  const reading = readReply(reply, situationOf(run, attempt, member));
  const { action, asks, results } = reading;
  const problems = results.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusalText(refusal)]));
  for (const { callId, refusal } of results) {
    member.agent.answerCall(callId, refusal === undefined ? accepted : refusalText(refusal));
  }
  if (reply.calls.length === 0) member.agent.tell({ role: 'user', content: noAction });
  if (action?.kind === 'answer') takeAnswer(run, member, action);
  else if (action?.kind === 'vote') takeVote(run, attempt, member, action);
  else if (asks.length === 0 || problems.length > 0) {
    run.events.emit({ type: 'refused', agent: member.seat.id, text: problems.join(' ') || noAction });
  }
  if (action !== undefined) member.strikes = 0;
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
    noveltyProblem: (answer) => noveltyProblem(answer, shown, answer_novelty_requirement),
  };
}

function takeAnswer(run: Run, member: Member, action: Action & { kind: 'answer' }): void {
  const { content, callId } = action;
  const segment = member.agent.transcript?.id ?? '';
  member.answer = { content, text: quote(content, { segment, call: { id: callId, argument: 'content' } }) };
  member.answersGiven += 1;
  member.state = 'answered';
  const { id, name } = member.seat;
  run.events.emit({
    type: 'answer',
    agent: id,
    name,
    number: member.answersGiven,
    content: preview(content),
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
