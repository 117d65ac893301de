import type { TeamState } from '../../protocol/state.ts';
import { inline, inWords, quotation } from '../runtime/details.ts';
import type { RunView } from '../runtime/run-handlers.ts';
import { restartsOf } from './attempt.ts';
import { shortened } from '../runtime/size.ts';
import { candidatesOf, hasAnswer, type Attempt, type OrchestrationContext } from './context.ts';

export const blankState = (workflow: TeamState['workflow']): TeamState => ({
  workflow,
  phase: workflow === 'session' ? 'idle' : 'preparing',
  attempt: 0,
  maxAttempts: 0,
  agents: [],
  selectedAgent: null,
  restarts: [],
  usage: null,
});

/** What an orchestration or a session shows while it is prepared. */
export function emptyView(workflow: TeamState['workflow']): RunView {
  const state = blankState(workflow);
  return { state: () => state, details: () => teamDetails(state), transcript: () => null };
}

export function viewOf(context: OrchestrationContext): RunView {
  const participants = () => context.attempt?.participants ?? [];
  const nameOf = (candidate: string): string | undefined =>
    context.attempt && candidatesOf(context.attempt).find(({ name }) => name === candidate)?.teamAgent.id;
  const state = (): TeamState => ({
    workflow: context.turn === 0 ? 'orchestration' : 'session',
    phase: phaseOf(context),
    attempt: context.attempt?.number ?? 0,
    maxAttempts: context.maxAttempts,
    agents: participants().map(({ answer, teamAgent, state: doing, answersGiven, vote }) => ({
      id: teamAgent.id,
      state: doing,
      answers: answersGiven,
      timedOut: teamAgent.timedOut,
      vote: (vote && nameOf(vote.name)) ?? null,
      ...(answer?.changes && { files: answer.changes.count }),
    })),
    selectedAgent: context.attempt?.selected?.teamAgent.id ?? null,
    restarts: restartsOf(context.attempt?.restarts ?? []),
    usage: context.usage.total,
    limits: { ...context.usage.limits, attemptSeconds: context.attemptTimeout / 1000 },
  });
  return {
    state,
    details: () => {
      const reasons = new Map(participants().map(({ teamAgent, vote }) => [teamAgent.id, vote?.reason]));
      return [...teamDetails(state(), reasons), ...answerLines(context.attempt)];
    },
    transcript: (agent) => participants().find(({ teamAgent }) => teamAgent.id === agent)?.agent.transcript ?? null,
  };
}

/** In a session, a team that is done waits for the next turn. */
const phaseOf = ({ attempt, turn }: OrchestrationContext): TeamState['phase'] =>
  attempt?.phase === 'done' && turn > 0 ? 'idle' : (attempt?.phase ?? 'preparing');

/** In bytes: of all answers together, and of one. */
const shownOfAnswers = 12_000;
const shownOfAnswer = 3000;

/** The answers of an attempt, once there is a final one those of the others. */
function answerLines(attempt: Attempt | undefined): string[] {
  const answered = (attempt?.participants ?? []).filter(hasAnswer);
  const others = answered.filter(
    ({ teamAgent }) => attempt?.phase !== 'done' || teamAgent !== attempt.selected?.teamAgent,
  );
  const bytes = Math.min(shownOfAnswer, Math.floor(shownOfAnswers / others.length));
  return others.flatMap(({ answer: { content }, teamAgent: { id } }) => [
    '',
    `### Answer of ${inline(id)}`,
    '',
    quotation(content, bytes),
  ]);
}

/** @param reasons of the votes, by the ids of the voters */
export function teamDetails(state: TeamState, reasons?: ReadonlyMap<string, string | undefined>): string[] {
  const { agents, attempt, maxAttempts, phase, restarts, selectedAgent } = state;
  return [
    `### Attempt ${attempt} of ${maxAttempts}: ${phase}`,
    ...agents.map((each) => agentLine(each, reasons?.get(each.id))),
    ...(selectedAgent === null ? [] : ['', `Final agent: **${selectedAgent}**`]),
    ...restarts.flatMap((each) => ['', `### Restart after attempt ${each.attempt}`, '', quotation(each.reason, 2000)]),
  ];
}

function agentLine(
  { id, state, answers, files, vote }: TeamState['agents'][number],
  reason: string | undefined,
): string {
  const given = answers > 1 ? `, ${answers} answers` : '';
  const changed = files === undefined ? '' : `, ${files} ${files === 1 ? 'file' : 'files'} changed`;
  const why = reason === undefined ? '' : `: ${inline(shortened(reason, 300))}`;
  return `- **${id}**: ${inWords(state)}${vote === null ? '' : ` for ${vote}`}${given}${changed}${why}`;
}
