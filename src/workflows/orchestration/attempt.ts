import { ApplicationFailure } from '@temporalio/workflow';
import { failureTypes } from '../../protocol/errors.ts';
import type { OrchestrationResult, Outcome, Vote } from '../../protocol/orchestration.ts';
import { Agent } from '../agent/agent.ts';
import { systemMessage } from '../agent/prompts.ts';
import type { Ending, Iteration } from '../runtime/iterate.ts';
import { warningsOf } from '../runtime/run-context.ts';
import {
  hasAnswer,
  type Attempt,
  type OrchestrationContext,
  type Participant,
  type TeamAgent,
  type TeamRestart,
} from './context.ts';
import { plainTask, taskMessage, type RestartNotice } from './prompts.ts';
import { winnerOf } from './rules/ballot.ts';

/** Begins an attempt of the team with new conversations and without answers and votes. */
export function beginAttempt(context: OrchestrationContext, iteration: Iteration<TeamRestart>): Attempt {
  const { number, restart } = iteration;
  const notice = restart && { attempt: number, ...restart };
  const attempt: Attempt = {
    ...iteration,
    phase: 'answering',
    brief: plainTask(context.plain.task, notice),
    participants: context.agents.map((agent) => newParticipant(context, agent, number, notice)),
    selected: undefined,
    result: undefined,
    reviewer: undefined,
    budgetSpent: false,
  };
  context.attempt = attempt;
  const { events, maxAttempts } = context;
  const told = restart && { restart: { reason: restart.reason, instructions: restart.instructions } };
  events.emit({ type: 'attempt', maxAttempts, ...told });
  return attempt;
}

function newParticipant(
  context: OrchestrationContext,
  teamAgent: TeamAgent,
  attempt: number,
  restart: RestartNotice | undefined,
): Participant {
  const { conversation, history, instructions, models, task, team, toolSets, turn } = context;
  const { backend, id, orchestrator, persona, timedOut, tools } = teamAgent;
  const agent = new Agent({ id, text: persona, backend }, models, {
    system: systemMessage(persona, instructions.coordination),
    // A custom orchestrator has its own tools in conversations of its own; here it only votes.
    tools: (orchestrator.kind === 'custom' ? undefined : tools?.set) ?? toolSets.coordination,
    transcript: conversation,
    messages: [...history, { role: 'user', content: taskMessage(task, restart) }],
  });
  return {
    teamAgent,
    agent,
    state: timedOut ? 'timed_out' : 'waiting',
    millisecondsLeft: team.timeout_settings.agent_timeout_seconds * 1000,
    strikes: 0,
    answersGiven: 0,
    answer: undefined,
    vote: undefined,
    shown: new Map(),
    asker: { id, agent, conversation: `${turn}.${attempt}.${id}`, asking: 0 },
    busy: undefined,
    hasLearnt: false,
    toolRounds: 0,
    failures: 0,
    out: timedOut ? 'timed out in an earlier attempt' : undefined,
  };
}

function votesOf({ participants }: Attempt): Vote[] {
  return participants.flatMap(({ teamAgent, vote }) => (vote ? [{ voter: teamAgent.id, ...vote }] : []));
}

/** Selects the winner of the vote, if there is an answer. Its answer becomes the attempt's result. */
export function select({ events }: OrchestrationContext, attempt: Attempt): void {
  const candidates = attempt.participants.filter(hasAnswer);
  const ids = candidates.map(({ teamAgent }) => teamAgent.id);
  const votes = votesOf(attempt);
  const winner = winnerOf(ids, votes);
  const selected = candidates.find(({ teamAgent }) => teamAgent.id === winner);
  if (selected === undefined) return;
  attempt.selected = selected;
  attempt.result = selected.answer;
  const counts = ids.map((id) => [id, votes.filter(({ agent }) => agent === id).length]);
  events.emit({ type: 'selected', agent: selected.teamAgent.id, votes: Object.fromEntries(counts) });
}

type TeamEnding = Ending<Attempt, Outcome, TeamRestart>;

/** @throws `ApplicationFailure` of type `NoAnswer` when no agent has answered in any attempt */
export function deliver({ best, last }: TeamEnding): { agent: string; answer: string } {
  if (best?.selected === undefined || best.result === undefined) throw noAnswer(last);
  last.phase = 'done';
  return { agent: best.selected.teamAgent.id, answer: best.result.content };
}

/** A run's restarts, each with the attempt that it followed. */
export function restartsOf(restarts: readonly TeamRestart[]): OrchestrationResult['restarts'] {
  return restarts.map(({ reason, instructions }, index) => ({ attempt: index + 1, reason, instructions }));
}

export function resultOf(context: OrchestrationContext, ending: TeamEnding): OrchestrationResult {
  const { events, humanInput, usage } = context;
  const { last, outcome, restarts } = ending;
  const { agent, answer } = deliver(ending);
  return {
    workflow: 'orchestration',
    answer,
    finalAgent: agent,
    attempts: last.number,
    restarts: restartsOf(restarts),
    votes: votesOf(last),
    outcome,
    warnings: warningsOf(context),
    humanQa: humanInput.history,
    usage: usage.total,
    events: events.count,
  };
}

function noAnswer({ participants }: Attempt): ApplicationFailure {
  const reasons = participants.map(
    ({ teamAgent, out }) => `${teamAgent.id}: ${out ?? 'had not answered when the time was up'}`,
  );
  return ApplicationFailure.nonRetryable(`No agent has answered.\n${reasons.join('\n')}`, failureTypes.noAnswer);
}
