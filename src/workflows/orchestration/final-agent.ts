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
  const agent = finalConversation(context, selected, { transcript: null, messages });
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
  const decision = await decisionOf(context, agent, purposeOf(context, attempt, what));
  const { id } = agent.persona;
  if (decision.kind === 'submit' && decision.warning !== undefined)
    events.emit({ type: 'warning', agent: id, text: `${decision.warning}: counts as submitting` });
  const { kind, ...said } = decision.kind === 'restart' ? decision : { kind: decision.kind };
  events.emit({ type: 'decision', agent: id, decision: kind, afterPresenting: what === 'evaluate', ...said });
  return decision;
}

async function decisionOf(context: OrchestrationContext, agent: Agent, purpose: Purpose): Promise<Decision> {
  for (let repairs = 0; repairs <= maxRepairs; repairs++) {
    try {
      const { calls } = await agent.reply(purpose, context.toolSets.decision);
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
  const agent = reviewerOf(context, attempt, selected);
  const { id } = agent.persona;
  attempt.phase = 'presenting';
  context.events.emit({ type: 'presenting', agent: id });
  agent.tell({ role: 'user', content: presentPrompt });
  const presented = await presentedBy(context, selected, agent, purposeOf(context, attempt, 'present'));
  if (typeof presented === 'string') {
    const text = `${presented}: its answer is delivered as it was voted for`;
    context.events.emit({ type: 'warning', agent: id, text });
    return;
  }
  context.events.emit({ type: 'presented', agent: id, content: preview(presented.content) });
  attempt.result = presented;
}

/** @returns the final answer, or in words why there is none */
async function presentedBy(
  context: OrchestrationContext,
  selected: AnsweredParticipant,
  agent: Agent,
  purpose: Purpose,
): Promise<GivenAnswer | string> {
  try {
    const { content } = await replyWithTools(context, selected, agent, purpose);
    if (content.trim() === '') return 'the final agent wrote nothing';
    return { content, text: textRef(content, { segment: agent.transcript?.id ?? '' }) };
  } catch (error) {
    return `the final agent's model failed (${failureReason(error)})`;
  }
}

/** The final agent's reply after its tool calls. It has all its own tools, also those that were withheld so far. */
async function replyWithTools(
  { events }: OrchestrationContext,
  { teamAgent: { id, sources } }: AnsweredParticipant,
  agent: Agent,
  purpose: Purpose,
): Promise<Reply> {
  if (!hasTools(sources)) return agent.reply(purpose, null);
  const tools = await ToolExecutor.open(id, sources, [], events.emit);
  const loop = { agent, tools: tools.set, run: tools.call.bind(tools), say: () => {}, ...purpose };
  for (let round = 1; ; round++) {
    const isLast = round > maxToolRounds;
    const reply = await agent.reply(purpose, isLast ? null : tools.set);
    if (isLast) refuseCalls(loop, reply.calls, notRun);
    if (isLast || reply.calls.length === 0) return reply;
    await runCalls(loop, reply.calls, false);
  }
}

/** The attempt's one conversation in which the final agent reviews answers and votes, decides, and presents. */
function reviewerOf(context: OrchestrationContext, attempt: Attempt, selected: AnsweredParticipant): Agent {
  if (attempt.reviewer !== undefined) return attempt.reviewer;
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
  attempt.reviewer = finalConversation(context, selected, { transcript: context.conversation, messages });
  return attempt.reviewer;
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
