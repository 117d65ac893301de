import type { AgentState } from '../../protocol/events.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { Run } from './context.ts';
import type { View } from '../runtime/run-handlers.ts';

/** A team's work at a glance. */
export function viewOf(run: Run): View {
  const members = () => run.attempt?.members ?? [];
  return {
    state: () => ({
      phase: run.attempt?.phase ?? 'preparing',
      attempt: run.attempt?.number ?? 0,
      maxAttempts: run.maxAttempts,
      agents: members().map(({ seat, state, answersGiven, vote }) => ({
        id: seat.id,
        state,
        answers: answersGiven,
        timedOut: seat.timedOut,
        vote: vote?.agent ?? null,
      })),
      selectedAgent: run.attempt?.selected?.seat.id ?? null,
      restarts: run.restarts,
      usage: run.ledger.usage,
    }),
    transcript: (agent) => members().find(({ seat }) => seat.id === agent)?.agent.transcript ?? null,
  };
}

/** One agent's work at a glance. @param id configured id of the agent */
export function viewOfOne(
  id: string,
  look: () => { state: AgentState; turns: number; usage: Usage },
  transcript: () => TranscriptRef | null,
): View {
  return {
    state: () => {
      const { state, turns, usage } = look();
      return {
        phase: state === 'waiting' ? 'idle' : 'answering',
        attempt: 0,
        maxAttempts: 0,
        agents: [{ id, state, answers: turns, timedOut: false, vote: null }],
        selectedAgent: null,
        restarts: [],
        usage,
      };
    },
    transcript: (agent) => (agent === id ? transcript() : null),
  };
}
