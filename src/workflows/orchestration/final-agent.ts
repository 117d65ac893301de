import type { Outcome } from '../../protocol/orchestration.ts';
import type { NewMessage } from '../../protocol/message.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { Agent, type Opening } from '../agent/agent.ts';
import type { Purpose } from '../agent/model-caller.ts';
import { failureReason } from '../agent/failures.ts';
import { announceEnd, refuseCalls, runCalls, type LoopContext } from '../agent/loop-context.ts';
import { accepted, systemMessage, toolsUnavailable } from '../agent/prompts.ts';
import { Refusals } from '../agent/refusals.ts';
import { hasTools, ToolExecutor } from '../agent/tool-executor.ts';
import { wholeText } from '../agent/whole-reply.ts';
import type { Verdict } from '../runtime/iterate.ts';
import { failuresOf, restartsOf, votesFor } from './attempt.ts';
import {
  answersText,
  namesOf,
  candidatesOf,
  hasAnswer,
  preview,
  whenOf,
  type Attempt,
  type Candidate,
  type GivenAnswer,
  type OrchestrationContext,
  type TeamRestart,
} from './context.ts';
import { finalWorkspace, tellFiles } from './files.ts';
import { summaryOf, mostOfCustom, mostRounds } from './participant.ts';
import { carryOutPrompt, decisionPrompt, decisionRepair, filesPrompt, presentPrompt, refusalText } from './prompts.ts';
import { presentedMessage, reviewMessage } from './review-prompts.ts';
import { asElected, whyWorse } from './presented.ts';
import { readDecision, type Decision } from './rules/decision.ts';

/** How often a judge that has decided nothing is asked again. */
const maxRepairs = 2;

/**
 * Decides whether an attempt's result is submitted or the team starts over: before the answer is presented, or in an evaluation of
 * what was presented. Nobody judges when the configuration allows no restarts.
 *
 * @throws `ApplicationFailure` of type `BudgetSpent`
 */
export async function judge(context: OrchestrationContext, attempt: Attempt): Promise<Verdict<Outcome, TeamRestart>> {
  const { enable_post_presentation_evaluation, max_orchestration_restarts } = context.coordination;
  if (attempt.budgetSpent) return { kind: 'end', outcome: 'budget' };
  if (areAllTimedOut(context)) return { kind: 'end', outcome: 'timeout' };
  if (attempt.selected === undefined || !attempt.participants.some(hasAnswer)) {
    context.warn(`attempt ${attempt.number} failed: ${failuresOf(attempt).join('; ')}`);
    return { kind: 'end', outcome: 'degraded' };
  }
  if (max_orchestration_restarts === 0) return { kind: 'accept', outcome: 'submitted' };
  const decision = enable_post_presentation_evaluation
    ? await evaluate(context, attempt, attempt.selected)
    : await decide(context, attempt, await reviewerOf(context, attempt, attempt.selected), 'decide');
  if (decision.prefersEarlier && attempt.earlier !== undefined) keep(context, attempt, attempt.earlier);
  if (decision.kind === 'submit') return { kind: 'accept', outcome: 'submitted' };
  const { execute, instructions, reason } = decision;
  return { kind: 'again', restart: { by: 'final_agent', reason, instructions, execute } };
}

/** The judge has found the presented answer worse. */
function keep({ events }: OrchestrationContext, attempt: Attempt, earlier: Candidate): void {
  if (attempt.selected === earlier) return;
  attempt.selected = earlier;
  attempt.result = earlier.answer;
  events.emit({ type: 'kept', agent: earlier.teamAgent.id, from: earlier.attempt });
}

export const areAllTimedOut = ({ agents }: OrchestrationContext): boolean => agents.every(({ timedOut }) => timedOut);

/** In a new conversation with the task, the answer and how that came about, but none of the other answers. */
async function evaluate(context: OrchestrationContext, attempt: Attempt, selected: Candidate): Promise<Decision> {
  const { earlier, isPlanning, presenterWork, restarts } = attempt;
  context.events.emit({ type: 'evaluating', agent: selected.teamAgent.id });
  const work = [...selected.work, ...presenterWork];
  const content = presentedMessage(context.task, attempt.result ?? { content: '', text: '' }, {
    work,
    restarts: restartsOf(restarts),
    votes: votesFor(attempt),
    diff: attempt.result?.diff,
    selected: selected.name,
    plan: isPlanning || work.length > 0 ? selected.answer : undefined,
    best: selected === earlier ? undefined : earlier?.answer,
  });
  const messages: NewMessage[] = [{ role: 'user', content }];
  const opening = { transcript: null, messages, tools: context.toolSets.decision };
  return decide(context, attempt, finalConversation(context, selected, opening, true), 'evaluate');
}

/** A judge that fails or does not decide counts as submitting, with a warning: its failure must not cost the run its answer. */
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
  const { id } = agent.persona;
  const decision = await decisionOf(agent, purposeOf(context, attempt, what), prompt);
  if (decision.kind === 'submit' && decision.warning !== undefined)
    context.warn(`${decision.warning}: counts as submitting`, id);
  const isDefault = decision.kind === 'submit' && decision.isDefault === true;
  // Who presents must not go on with a talk that has led nowhere.
  if (isDefault) attempt.reviewer = undefined;
  const said = decision.kind === 'restart' && { reason: decision.reason, instructions: decision.instructions };
  const how = { afterPresenting: what === 'evaluate', ...(isDefault && { isDefault }) };
  events.emit({ type: 'decision', agent: id, decision: decision.kind, ...how, ...said });
  return decision;
}

async function decisionOf(agent: Agent, purpose: Purpose, prompt: string): Promise<Decision> {
  const tools = ['submit', 'restart_orchestration'];
  let bySchema = agent.callsBySchema ? tools : undefined;
  let did = '';
  for (let repairs = 0; repairs <= maxRepairs; repairs++) {
    try {
      const { calls } = await agent.reply(purpose, { choice: 'required', bySchema });
      did = calls.length === 0 ? 'called neither tool' : 'made no usable call';
      const decision = readDecision(calls, { prompt, isHeld: bySchema !== undefined });
      if (calls.length === 0) bySchema = tools;
      const taken = decision === undefined ? decisionRepair : accepted;
      for (const call of calls)
        agent.answerCall(call.id, 'error' in call ? refusalText({ kind: 'invalid', error: call.error }) : taken);
      if (decision !== undefined) return decision;
      agent.tell({ role: 'user', content: decisionRepair });
    } catch (error) {
      return { kind: 'submit', isDefault: true, warning: `the judge's model failed (${failureReason(error)})` };
    }
  }
  return { kind: 'submit', isDefault: true, warning: `the judge ${did} in ${maxRepairs + 1} replies` };
}

/**
 * Has the final agent write the final answer. When its model fails or writes nothing, the answer that won the vote stays.
 *
 * @throws `ApplicationFailure` of type `BudgetSpent`
 */
export async function present(context: OrchestrationContext, attempt: Attempt): Promise<void> {
  const { earlier, selected } = attempt;
  if (selected === undefined || attempt.budgetSpent || areAllTimedOut(context)) return;
  // In the mode that presents first, the best answer so far is what was presented.
  if (selected === earlier && context.coordination.enable_post_presentation_evaluation) return;
  const { id } = selected.teamAgent;
  attempt.phase = 'presenting';
  context.events.emit({ type: 'presenting', agent: id });
  const presented = await presentedBy(context, attempt, selected);
  if (typeof presented === 'string') {
    return context.warn(`${presented}: its answer is delivered as it was voted for`, id);
  }
  context.events.emit({ type: 'presented', agent: id, content: preview(presented.content) });
  const { tree } = selected.answer;
  attempt.result = { ...(tree !== undefined && { tree }), ...presented };
}

/** @returns the final answer, or in words why the elected one is to be delivered */
async function presentedBy(
  context: OrchestrationContext,
  attempt: Attempt,
  selected: Candidate,
): Promise<GivenAnswer | string> {
  const purpose = purposeOf(context, attempt, 'present');
  const given = context.team.final_agent === undefined ? asElected(context, attempt, selected) : undefined;
  if (given !== undefined) return given;
  try {
    const works = hasTools(selected.teamAgent.sources) || isClaudeCode(context, selected);
    const presentedHow = works ? presentedWithTools : presentedAsText;
    const presented = await presentedHow(context, attempt, selected, purpose);
    // What was done for a plan stands only in what was presented.
    if (typeof presented === 'string' || attempt.isPlanning || attempt.presenterWork.length > 0) return presented;
    return whyWorse(presented, selected.answer, context.plain.task) ?? presented;
  } catch (error) {
    return `the final agent's model failed (${failureReason(error)})`;
  }
}

async function presentedAsText(
  context: OrchestrationContext,
  attempt: Attempt,
  selected: Candidate,
  purpose: Purpose,
): Promise<GivenAnswer | string> {
  const agent = await presenterOf(context, attempt, selected);
  agent.tell({ role: 'user', content: presentPrompt });
  // The judge's tools stay in the conversation, since they are part of what the model's thoughts are bound to.
  const reply = await agent.reply(purpose, { choice: 'none' });
  refuseCalls({ agent, warn: () => {} }, reply.calls);
  return presentation(agent, reply, purpose);
}

async function presentation(agent: Agent, reply: Reply, purpose: Purpose): Promise<GivenAnswer | string> {
  const { content, isCut, text } = await wholeText(agent, reply, purpose);
  return text.trim() === '' ? 'the final agent wrote nothing' : { content: text, text: content, isCut };
}

/**
 * In a conversation of its own, since the judge's tools are none of a presenter's, and with all its tools, also those
 * withheld so far.
 */
async function presentedWithTools(
  context: OrchestrationContext,
  attempt: Attempt,
  selected: Candidate,
  purpose: Purpose,
): Promise<GivenAnswer | string> {
  const { id, orchestrator, sources } = selected.teamAgent;
  const workspace = finalWorkspace(context, attempt, selected);
  const tools = (await ToolExecutor.open(id, sources, [], context)).of(id, workspace);
  const workplace = workspace && isClaudeCode(context, selected) && { files: workspace, readsOnly: false };
  const opening = {
    ...(await reviewOf(context, attempt, selected)),
    tools: tools.set,
    quick: () => tools.quick(false),
    ...(workplace && { workplace }),
  };
  const agent = finalConversation(context, selected, opening);
  const prompt = attempt.isPlanning ? carryOutPrompt : presentPrompt;
  agent.tell({ role: 'user', content: workspace === undefined ? prompt : `${filesPrompt} ${prompt}` });
  const refusals = new Refusals();
  const warn = (text: string): void => context.warn(text, id);
  const loop: LoopContext = { agent, run: tools.call.bind(tools), refusals, warn, say: () => {}, ...purpose };
  for (let left = mostRounds(orchestrator, mostOfCustom); ; left--) {
    const isLast = left <= 0 || refusals.end !== undefined;
    if (isLast) agent.tell({ role: 'system', content: toolsUnavailable(undefined) });
    const reply = await agent.reply(purpose, isLast ? { choice: 'none' } : {});
    if (isLast) refuseCalls(loop, reply.calls);
    if (isLast || reply.calls.length === 0) {
      const presented = await presentation(agent, reply, purpose);
      if (typeof presented === 'string' || workspace === undefined) return presented;
      const answer = { ...presented, tree: workspace.tree };
      if (answer.tree === selected.answer.tree) return { ...selected.answer, ...answer };
      await tellFiles(context, selected.teamAgent, answer);
      return answer;
    }
    attempt.presenterWork.push(...(await runCalls(loop, reply.calls, false)).map(summaryOf));
    announceEnd(loop, left - 1);
  }
}

/** Whether the one who presents is Claude Code, which has no tools of ours. */
const isClaudeCode = ({ team }: OrchestrationContext, { teamAgent }: Candidate): boolean =>
  (team.final_agent?.backend ?? teamAgent.backend).type === 'claude_code';

async function reviewerOf(context: OrchestrationContext, attempt: Attempt, selected: Candidate): Promise<Agent> {
  const opening = { ...(await reviewOf(context, attempt, selected)), tools: context.toolSets.decision };
  return (attempt.reviewer = finalConversation(context, selected, opening, true));
}

/** The judge's conversation, if there was one, and it has no backend of its own. */
async function presenterOf(context: OrchestrationContext, attempt: Attempt, selected: Candidate): Promise<Agent> {
  if (attempt.reviewer !== undefined && context.team.final_agent?.judge === undefined) return attempt.reviewer;
  return finalConversation(context, selected, { ...(await reviewOf(context, attempt, selected)), tools: null });
}

async function reviewOf(
  context: OrchestrationContext,
  attempt: Attempt,
  selected: Candidate,
): Promise<Omit<Opening, 'system' | 'tools'>> {
  const candidates = candidatesOf(attempt);
  const review = reviewMessage(context.task, await answersText(candidates), namesOf(candidates, selected.teamAgent), {
    work: selected.work,
    restarts: restartsOf(attempt.restarts),
    votes: votesFor(attempt),
    selected: selected.name,
  });
  const messages: NewMessage[] = [...context.history, { role: 'user', content: review }];
  return { transcript: context.conversation, messages };
}

/** The configuration may give the final agent a backend of its own, and its judging another one. */
export function finalConversation(
  { instructions, models, team }: OrchestrationContext,
  { teamAgent: { backend, id, persona } }: Candidate,
  opening: Omit<Opening, 'system'>,
  judges = false,
): Agent {
  const { backend: presenting = backend, judge } = team.final_agent ?? {};
  const own = { id, text: persona, backend: (judges ? judge?.backend : undefined) ?? presenting };
  return new Agent(own, models, { system: systemMessage(persona, instructions.final), ...opening });
}

function purposeOf({ team }: OrchestrationContext, attempt: Attempt, what: Purpose['what']): Purpose {
  const timeout = team.timeout_settings.agent_timeout_seconds * 1000;
  return { what, when: whenOf(attempt), timeout };
}
