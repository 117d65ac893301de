import type { Vote } from '../../../protocol/orchestration.ts';

/** The name under which others see an agent's answer: its place in the configuration, from 1. */
export function anonymousName(index: number): string {
  return `agent${index + 1}`;
}

/**
 * The agent whose answer wins: most votes; with a tie or no votes the first in the order of configuration.
 *
 * @param candidates ids of the agents with an answer, in the order of configuration
 * @returns undefined when there is no answer at all
 */
export function winnerOf(candidates: string[], votes: Vote[]): string | undefined {
  const countFor = (agent: string): number => votes.filter((vote) => vote.agent === agent).length;
  const [first, ...others] = candidates;
  if (first === undefined) return undefined;
  return others.reduce((best, agent) => (countFor(agent) > countFor(best) ? agent : best), first);
}
