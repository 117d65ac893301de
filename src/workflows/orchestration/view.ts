import type { TeamState } from '../../protocol/state.ts';
import { inWords, quotation } from '../runtime/details.ts';
import type { RunView } from '../runtime/run-handlers.ts';
import { restartsOf } from './attempt.ts';
import { candidatesOf, type OrchestrationContext } from './context.ts';

/** What an orchestration or a session shows while it is prepared. */
export function emptyView(workflow: TeamState['workflow']): RunView {
  const state: TeamState = {
    workflow,
    phase: workflow === 'session' ? 'idle' : 'preparing',
    attempt: 0,
    maxAttempts: 0,
    agents: [],
    selectedAgent: null,
    restarts: [],
    usage: null,
  };
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
    details: () => teamDetails(state()),
    transcript: (agent) => participants().find(({ teamAgent }) => teamAgent.id === agent)?.agent.transcript ?? null,
  };
}

/** In a session, a team that is done waits for the next turn. */
const phaseOf = ({ attempt, turn }: OrchestrationContext): TeamState['phase'] =>
  attempt?.phase === 'done' && turn > 0 ? 'idle' : (attempt?.phase ?? 'preparing');

/** The lines for the current details in Temporal's Web UI. */
export function teamDetails(state: TeamState): string[] {
  const { agents, attempt, maxAttempts, phase, restarts, selectedAgent } = state;
  return [
    `### Attempt ${attempt} of ${maxAttempts}: ${phase}`,
    ...agents.map(agentLine),
    ...(selectedAgent === null ? [] : ['', `Final agent: **${selectedAgent}**`]),
    ...restarts.flatMap((each) => ['', `### Restart after attempt ${each.attempt}`, '', quotation(each.reason, 2000)]),
  ];
}

function agentLine({ id, state, answers, files, vote }: TeamState['agents'][number]): string {
  const given = answers > 1 ? `, ${answers} answers` : '';
  const changed = files === undefined ? '' : `, ${files} ${files === 1 ? 'file' : 'files'} changed`;
  return `- **${id}**: ${inWords(state)}${vote === null ? '' : ` for ${vote}`}${given}${changed}`;
}
