import type { Outcome } from '../../protocol/orchestration.ts';
import type { NewMessage } from '../../protocol/message.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { Agent, type Opening, type Purpose } from '../agent/agent.ts';
import { failureReason } from '../agent/failures.ts';
import { refuseCalls, runCalls } from '../agent/loop-context.ts';
import { accepted, notRun, systemMessage } from '../agent/prompts.ts';
import { textRef } from '../agent/text-refs.ts';
import { hasTools, ToolExecutor } from '../agent/tool-executor.ts';
import type { Verdict } from '../runtime/iterate.ts';
import {
  hasAnswer,
  preview,
  whenOf,
  type AnsweredParticipant,
  type Attempt,
  type GivenAnswer,
  type OrchestrationContext,
  type TeamRestart,
} from './context.ts';
import {
  decisionPrompt,
  decisionRepair,
  presentedMessage,
  presentPrompt,
  refusalText,
  reviewMessage,
  type ShownAnswer,
  type VoteCount,
} from './prompts.ts';
import { readDecision, type Decision } from './rules/decision.ts';

/** How often a judge that has decided nothing is asked again. */
const maxRepairs = 2;

/** How many replies of the final agent may use tools. */
const maxToolRounds = 10;

/**
 * Decides whether an attempt's result is submitted or the team starts over. Depending on the configuration the final agent
 * decides this before it presents the answer, or in an evaluation of what it has presented. Nobody judges when the
 * configuration allows no restarts.
 *
 * @throws `ApplicationFailure` of type `BudgetSpent`
 */
export async function judge(context: OrchestrationContext, attempt: Attempt): Promise<Verdict<Outcome, TeamRestart>> {
  const { enable_post_presentation_evaluation, max_orchestration_restarts } = context.coordination;
  if (attempt.budgetSpent) return { kind: 'end', outcome: 'budget' };
  if (areAllTimedOut(context)) return { kind: 'end', outcome: 'timeout' };
  if (attempt.selected === undefined) {
    context.events.emit({ type: 'warning', text: 'No agent has answered in this attempt' });
    return { kind: 'end', outcome: 'restart_limit' };
  }
  if (max_orchestration_restarts === 0) return { kind: 'accept', outcome: 'submitted' };
  const decision = enable_post_presentation_evaluation
    ? await evaluate(context, attempt, attempt.selected)
    : await decide(context, attempt, reviewerOf(context, attempt, attempt.selected), 'decide');
  if (decision.kind === 'submit') return { kind: 'accept', outcome: 'submitted' };
  const { instructions, reason } = decision;
  return { kind: 'again', restart: { by: 'final_agent', reason, instructions } };
}

const areAllTimedOut = ({ agents }: OrchestrationContext): boolean => agents.every(({ timedOut }) => timedOut);

/** Judges the presented answer in a new conversation, which has the task and the answer but not how it came about. */
async function evaluate(
  context: OrchestrationContext,
  attempt: Attempt,
  selected: AnsweredParticipant,
): Promise<Decision> {
  const { text = '' } = attempt.result ?? {};
  context.events.emit({ type: 'evaluating', agent: selected.teamAgent.id });
  const messages: NewMessage[] = [{ role: 'user', content: presentedMessage(context.task, text) }];
  const agent = finalConversation(context, selected, { transcript: null, messages, tools: context.toolSets.decision });
  return decide(context, attempt, agent, 'evaluate');
}

/**
 * Asks for `submit` or `restart_orchestration`. A judge that fails or does not decide counts as submitting, with a warning,
 * since its failure must not cost the run its answer.
 */
async function decide(
  context: OrchestrationContext,
  attempt: Attempt,
  agent: Agent,
  what: 'decide' | 'evaluate',
): Promise<Decision> {
  const { events, maxAttempts, usage } = context;
  attempt.phase = what === 'decide' ? 'deciding' : 'evaluating';
  const prompt = decisionPrompt(attempt.number, maxAttempts, usage.budgetLeft);
  agent.tell({ role: 'user', content: prompt });
  const decision = await decisionOf(agent, purposeOf(context, attempt, what));
  const { id } = agent.persona;
  if (decision.kind === 'submit' && decision.warning !== undefined)
    events.emit({ type: 'warning', agent: id, text: `${decision.warning}: counts as submitting` });
  const { kind, ...said } = decision.kind === 'restart' ? decision : { kind: decision.kind };
  events.emit({ type: 'decision', agent: id, decision: kind, afterPresenting: what === 'evaluate', ...said });
  return decision;
}

async function decisionOf(agent: Agent, purpose: Purpose): Promise<Decision> {
  for (let repairs = 0; repairs <= maxRepairs; repairs++) {
    try {
      const { calls } = await agent.reply(purpose, { choice: 'required' });
      for (const call of calls) {
        const problem = 'error' in call ? refusalText({ kind: 'invalid', error: call.error }) : accepted;
        agent.answerCall(call.id, problem);
      }
      const decision = readDecision(calls);
      if (decision !== undefined) return decision;
      agent.tell({ role: 'user', content: decisionRepair });
    } catch (error) {
      return { kind: 'submit', warning: `the judge's model failed (${failureReason(error)})` };
    }
  }
  return { kind: 'submit', warning: `the judge called neither tool in ${maxRepairs + 1} replies` };
}

/**
 * Has the final agent write the final answer, which becomes the attempt's result. When its model fails or writes nothing,
 * the result stays the answer that won the vote.
 *
 * @throws `ApplicationFailure` of type `BudgetSpent`
 */
export async function present(context: OrchestrationContext, attempt: Attempt): Promise<void> {
  const { selected } = attempt;
  if (selected === undefined || attempt.budgetSpent || areAllTimedOut(context)) return;
  const { id } = selected.teamAgent;
  attempt.phase = 'presenting';
  context.events.emit({ type: 'presenting', agent: id });
  const presented = await presentedBy(context, attempt, selected);
  if (typeof presented === 'string') {
    return context.warn(`${presented}: its answer is delivered as it was voted for`, id);
  }
  context.events.emit({ type: 'presented', agent: id, content: preview(presented.content) });
  attempt.result = presented;
}

/** @returns the final answer, or in words why there is none */
async function presentedBy(
  context: OrchestrationContext,
  attempt: Attempt,
  selected: AnsweredParticipant,
): Promise<GivenAnswer | string> {
  const purpose = purposeOf(context, attempt, 'present');
  try {
    if (hasTools(selected.teamAgent.sources)) return await presentedWithTools(context, attempt, selected, purpose);
    const agent = reviewerOf(context, attempt, selected);
    agent.tell({ role: 'user', content: presentPrompt });
    // The judge's tools stay in the conversation, since they are part of what the model's thoughts are bound to.
    return presentation(agent, await agent.reply(purpose, { choice: 'none' }));
  } catch (error) {
    return `the final agent's model failed (${failureReason(error)})`;
  }
}

function presentation(agent: Agent, { content }: Reply): GivenAnswer | string {
  if (content.trim() === '') return 'the final agent wrote nothing';
  return { content, text: textRef(content, { segment: agent.transcript?.id ?? '' }) };
}

/**
 * Has a final agent with tools of its own present in a conversation of its own, since the judge's tools are none of a
 * presenter's. It has all its tools, also those that were withheld so far.
 */
async function presentedWithTools(
  context: OrchestrationContext,
  attempt: Attempt,
  selected: AnsweredParticipant,
  purpose: Purpose,
): Promise<GivenAnswer | string> {
  const { id, sources } = selected.teamAgent;
  const tools = await ToolExecutor.open(id, sources, [], context.events.emit);
  const agent = finalConversation(context, selected, { ...reviewOf(context, attempt, selected), tools: tools.set });
  agent.tell({ role: 'user', content: presentPrompt });
  const loop = { agent, run: tools.call.bind(tools), say: () => {}, ...purpose };
  for (let round = 1; ; round++) {
    const isLast = round > maxToolRounds;
    const reply = await agent.reply(purpose, isLast ? { choice: 'none' } : {});
    if (isLast) refuseCalls(loop, reply.calls, notRun);
    if (isLast || reply.calls.length === 0) return presentation(agent, reply);
    await runCalls(loop, reply.calls, false);
  }
}

/** The attempt's one conversation in which the final agent reviews answers and votes, decides, and presents. */
function reviewerOf(context: OrchestrationContext, attempt: Attempt, selected: AnsweredParticipant): Agent {
  const opening = { ...reviewOf(context, attempt, selected), tools: context.toolSets.decision };
  attempt.reviewer ??= finalConversation(context, selected, opening);
  return attempt.reviewer;
}

/** How a conversation about all answers and votes begins. */
function reviewOf(
  context: OrchestrationContext,
  attempt: Attempt,
  selected: AnsweredParticipant,
): Omit<Opening, 'system' | 'tools'> {
  const answers: ShownAnswer[] = [];
  const votes: VoteCount[] = [];
  for (const { teamAgent, answer } of attempt.participants.filter(hasAnswer)) {
    const { id, name } = teamAgent;
    answers.push({ name, content: answer.text, yours: teamAgent === selected.teamAgent });
    const reasons = attempt.participants.flatMap(({ vote }) => (vote?.agent === id ? [vote.reason] : []));
    votes.push({ name, reasons });
  }
  const review = reviewMessage(context.task, answers, votes, selected.teamAgent.name);
  const messages: NewMessage[] = [...context.history, { role: 'user', content: review }];
  return { transcript: context.conversation, messages };
}

/** A conversation of the winner as final agent. The configuration may give the final agent a backend of its own. */
function finalConversation(
  { instructions, models, team }: OrchestrationContext,
  { teamAgent: { backend, id, persona } }: AnsweredParticipant,
  opening: Omit<Opening, 'system'>,
): Agent {
  const own = { id, text: persona, backend: team.final_agent?.backend ?? backend };
  return new Agent(own, models, { system: systemMessage(persona, instructions.final), ...opening });
}

function purposeOf({ team }: OrchestrationContext, attempt: Attempt, what: Purpose['what']): Purpose {
  const timeout = team.timeout_settings.agent_timeout_seconds * 1000;
  return { what, when: whenOf(attempt), timeout };
}
