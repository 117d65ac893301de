import { ApplicationFailure } from '@temporalio/workflow';
import { failureTypes } from '../../protocol/errors.ts';
import type { OrchestrationResult, Outcome, Vote } from '../../protocol/orchestration.ts';
import { Agent } from '../agent/agent.ts';
import { noAnswerYet } from '../agent/loop-context.ts';
import { systemMessage } from '../agent/prompts.ts';
import { Refusals } from '../agent/refusals.ts';
import { AgentWorkspace } from '../agent/workspace.ts';
import type { LoopResult, Iteration } from '../runtime/iterate.ts';
import { warningsOf } from '../runtime/run-context.ts';
import {
  candidatesOf,
  hasAnswer,
  type Attempt,
  type Candidate,
  type EarlierAnswer,
  type OrchestrationContext,
  type Participant,
  type TeamAgent,
  type TeamRestart,
} from './context.ts';
import { filesOf, folderOf, keepSnapshot, newWorkspace } from './files.ts';
import { plainTask, startFiles, taskMessage, type RestartNotice } from './prompts.ts';
import type { VoteCount } from './review-prompts.ts';
import { asksToExecute } from './rules/decision.ts';
import { anonymousName, winnerOf } from './rules/team-settings.ts';

export function beginAttempt(context: OrchestrationContext, iteration: Iteration<TeamRestart>): Attempt {
  const { number, restart, restarts } = iteration;
  const { attempt: last, coordination, events, maxAttempts, plain } = context;
  const earlier = restart && last && earlierAnswer(context, last, restart);
  if (last !== undefined) keepSnapshot(context, last);
  const notice = restart && {
    attempt: number,
    ...restart,
    best: earlier?.answer,
    earlier: restartsOf(restarts.slice(0, -1)),
  };
  const isPlanning = coordination.enable_planning_mode && !restarts.some(asksToExecute);
  const attempt: Attempt = {
    ...iteration,
    phase: 'answering',
    isPlanning,
    brief: plainTask(
      plain.task,
      notice && { ...notice, best: earlier && { ...earlier.answer, text: earlier.answer.content } },
    ),
    participants: context.agents.map((agent) =>
      newParticipant(context, agent, { earlier, isPlanning, number }, notice),
    ),
    shown: new Map(),
    earlier,
    presenterWork: [],
    budgetSpent: false,
  };
  context.attempt = attempt;
  const why = restart && { restart: { reason: restart.reason, instructions: restart.instructions } };
  events.emit({ type: 'attempt', maxAttempts, ...why });
  return attempt;
}

/** The best answer of all attempts so far, for a team that may start over. */
function earlierAnswer(
  { agents }: OrchestrationContext,
  { earlier, result, selected }: Attempt,
  { by }: TeamRestart,
): EarlierAnswer | undefined {
  const best = selected === undefined || result === undefined ? earlier : { ...selected, answer: result };
  return best && { ...best, name: anonymousName(agents.length), leads: by !== 'person' };
}

function newParticipant(
  context: OrchestrationContext,
  teamAgent: TeamAgent,
  { earlier, isPlanning, number }: Pick<Attempt, 'earlier' | 'isPlanning' | 'number'>,
  restart: RestartNotice | undefined,
): Participant {
  const { conversation, history, models, task, team, toolSets } = context;
  const { backend, id, orchestrator, persona, timedOut } = teamAgent;
  const workspace = newWorkspace(context, teamAgent, earlier);
  const instructions = (workspace && context.filesInstructions) ?? context.instructions;
  const tools = teamAgent.tools?.[isPlanning ? 'planning' : 'acting'].of(id, workspace);
  const bestFolder = earlier?.answer.tree ? folderOf(context, earlier.name) : undefined;
  const files = workspace && startFiles(team.orchestrator.restart_workspace, bestFolder);
  const own = orchestrator.kind === 'custom' ? undefined : tools?.set;
  const isAlone = backend.type === 'claude_code';
  const texts = (isAlone ? instructions.alone : undefined) ?? instructions;
  const agent = new Agent({ id, text: persona, backend }, models, {
    system: systemMessage(persona, isPlanning ? texts.planning : texts.coordination),
    // A custom orchestrator has its own tools in conversations of its own; here it only votes.
    tools: own ?? (isAlone ? toolSets.alone : undefined) ?? toolSets.coordination,
    ...(own && { quick: () => tools?.quick(orchestrator.kind === 'simple_tool' && orchestrator.parallel) }),
    ...(isAlone && { workplace: { files: workspace ?? new AgentWorkspace(), readsOnly: isPlanning } }),
    transcript: conversation,
    messages: [...history, { role: 'user', content: taskMessage(task, restart && { ...restart, files }) }],
  });
  return {
    teamAgent,
    agent,
    state: timedOut ? 'timed_out' : 'waiting',
    millisecondsLeft: team.timeout_settings.agent_timeout_seconds * 1000,
    invalidReplies: 0,
    calling: 'unknown',
    lastProblem: '',
    answersGiven: 0,
    asker: { id, agent, conversation: `${number}.${id}`, asking: 0 },
    hasLearnt: false,
    toolRounds: 0,
    refusals: new Refusals(),
    failures: 0,
    tools,
    workspace,
    work: [],
    out: timedOut ? 'timed out in an earlier attempt' : undefined,
  };
}

function votesOf(attempt: Attempt): Vote[] {
  const candidates = candidatesOf(attempt);
  return attempt.participants.flatMap(({ teamAgent, vote }) => {
    const chosen = candidates.find(({ name }) => name === vote?.name);
    if (vote === undefined || chosen === undefined) return [];
    const earlier = chosen.attempt !== attempt.number && { attempt: chosen.attempt };
    return [{ voter: teamAgent.id, agent: chosen.teamAgent.id, reason: vote.reason, ...earlier }];
  });
}

export const votesFor = (attempt: Attempt): VoteCount[] =>
  candidatesOf(attempt).map(({ name }) => {
    const reasons = attempt.participants.flatMap(({ vote }) => (vote?.name === name ? [vote.reason] : []));
    return { name, reasons };
  });

/**
 * Selects the winner of the vote, if there is an answer, whose answer becomes the attempt's result. The best answer of the attempts
 * before wins ties, so that without any vote a new answer does not replace it, unless a person has rejected it.
 *
 * @param choice what the judge's model has chosen, which counts where nobody has voted
 * @param isTold whether the selection is for the person to see
 */
export function select({ events }: OrchestrationContext, attempt: Attempt, choice?: Candidate, isTold = true): void {
  const { earlier, number, participants } = attempt;
  const candidates = candidatesOf(attempt);
  const names = candidates.map(({ name }) => name);
  const inOrder = earlier?.leads ? [earlier.name, ...names.slice(0, -1)] : names;
  const voted = participants.flatMap(({ vote }) => (vote === undefined ? [] : [{ agent: vote.name }]));
  const winner = (voted.length === 0 ? choice?.name : undefined) ?? winnerOf(inOrder, voted);
  const selected = candidates.find(({ name }) => name === winner);
  if (selected === undefined) return;
  attempt.selected = selected;
  attempt.result = selected.answer;
  if (!isTold) return;
  const counts = candidates.map((each) => {
    const id = each.teamAgent.id;
    const count = voted.filter(({ agent }) => agent === each.name).length;
    return [each.attempt === number ? id : `${id} (attempt ${each.attempt})`, count] as const;
  });
  const from = selected.attempt !== number && { from: selected.attempt };
  events.emit({ type: 'selected', agent: selected.teamAgent.id, votes: Object.fromEntries(counts), ...from });
}

export const failuresOf = ({ participants }: Attempt): string[] =>
  participants.map(({ teamAgent, out }) => `${teamAgent.id}: ${out ?? 'had not answered when the time was up'}`);

/** Has the result name those who were out of an attempt in which others have answered. Models that are of no use degrade it. */
export function nameThoseOut(
  { notes, warnings }: OrchestrationContext,
  { budgetSpent, number, participants }: Attempt,
): void {
  if (budgetSpent || !participants.some(hasAnswer)) return;
  for (const { isUnusable = false, out, teamAgent } of participants)
    if (out !== undefined) (isUnusable ? warnings : notes).push(`${teamAgent.id} was out of attempt ${number}: ${out}`);
}

type TeamEnding = LoopResult<Attempt, Outcome, TeamRestart>;

/** @throws `ApplicationFailure` of type `NoAnswer` when no agent has answered in any attempt */
export async function deliver(
  context: OrchestrationContext,
  ending: TeamEnding,
): Promise<{ agent: string; answer: string }> {
  const answer = answerOf(ending);
  keepSnapshot(context, ending.last);
  if (context.agents.some(({ start }) => start !== undefined)) context.delivered = await filesOf(context, ending.best);
  return answer;
}

/** A cancelled run that has no answer yet says so, in parentheses. */
function answerOf({ best, last, outcome, why }: TeamEnding): { agent: string; answer: string } {
  last.phase = 'done';
  if (best?.selected === undefined || best.result === undefined) {
    if (outcome === 'cancelled') return { agent: '', answer: noAnswerYet(why ?? '') };
    const message = ['No agent has answered.', ...failuresOf(last)].join('\n');
    throw ApplicationFailure.nonRetryable(message, failureTypes.noAnswer);
  }
  return { agent: best.selected.teamAgent.id, answer: best.result.content };
}

export function restartsOf(restarts: readonly TeamRestart[]): OrchestrationResult['restarts'] {
  return restarts.map(({ reason, instructions }, index) => ({ attempt: index + 1, reason, instructions }));
}

export function resultOf(context: OrchestrationContext, ending: TeamEnding): OrchestrationResult {
  const { delivered, events, questions, usage } = context;
  const { last, outcome, restarts } = ending;
  const { agent, answer } = answerOf(ending);
  return {
    workflow: 'orchestration',
    answer,
    finalAgent: agent,
    attempts: last.number,
    restarts: restartsOf(restarts),
    votes: votesOf(last),
    outcome,
    warnings: [...warningsOf(context), ...(agent === '' ? ['There was no answer yet'] : [])],
    humanQa: questions.record.history,
    ...delivered,
    usage: usage.total,
    events: events.count,
  };
}
