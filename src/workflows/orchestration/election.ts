import { isCancellation } from '@temporalio/workflow';
import { headings } from '../../protocol/headings.ts';
import { callFailure } from '../agent/failures.ts';
import { joinContent } from '../agent/text.ts';
import { select } from './attempt.ts';
import {
  answersText,
  candidatesOf,
  whenOf,
  type Attempt,
  type Candidate,
  type OrchestrationContext,
} from './context.ts';
import { areAllTimedOut, finalConversation } from './final-agent.ts';
import { comparePrompt } from './prompts.ts';

/** In milliseconds. Without an answer the run goes on as well. */
const timeoutMs = 120_000;

/**
 * Elects an answer. Where there are several and nobody has voted, the best one so far is kept, if it leads; else the judge's model
 * chooses, or, where that fails, the first one is taken. The run says so.
 */
export async function elect(context: OrchestrationContext, attempt: Attempt): Promise<void> {
  const isUnvoted = candidatesOf(attempt).length > 1 && !attempt.participants.some(({ vote }) => vote !== undefined);
  const leads = attempt.earlier?.leads === true;
  const choice = isUnvoted && !leads ? await choose(context, attempt) : undefined;
  select(context, attempt, choice);
  const { selected } = attempt;
  if (!isUnvoted || selected === undefined) return;
  const reason = leads ? 'it is the best so far' : 'it comes first';
  const how = choice === undefined ? reason : "the judge's model has chosen it";
  context.warn(`Nobody has voted: the answer of ${selected.teamAgent.id} was taken, since ${how}`);
}

async function choose(context: OrchestrationContext, attempt: Attempt): Promise<Candidate | undefined> {
  const candidates = candidatesOf(attempt);
  const [first] = candidates;
  const isOver = attempt.budgetSpent || areAllTimedOut(context);
  if (first === undefined || isOver) return undefined;
  const list = await answersText(candidates);
  const content = joinContent([`${headings.task}\n\n`, context.task, '\n\n', list, `\n\n${comparePrompt}`]);
  const messages = [...context.history, { role: 'user' as const, content }];
  const opening = { transcript: context.conversation, messages, tools: context.toolSets.coordination };
  try {
    const judge = finalConversation(context, first, opening, true);
    const purpose = { what: 'vote', when: whenOf(attempt), timeout: timeoutMs } as const;
    const { calls } = await judge.reply(purpose, { choice: { oneOf: ['vote'] }, bySchema: ['vote'] });
    const [name] = calls.flatMap((call) => ('input' in call && call.name === 'vote' ? [call.input['agent_id']] : []));
    return candidates.find((candidate) => candidate.name === name);
  } catch (error) {
    // A budget that is spent here, with the answers there, ends the run when the next call is made.
    if (isCancellation(error)) throw error;
    callFailure(error);
    return undefined;
  }
}
