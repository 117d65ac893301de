import type { Run } from './run.ts';
import type { View } from './surface.ts';

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
