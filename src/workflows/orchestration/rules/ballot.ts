import type { Vote } from '../../../protocol/orchestration.ts';

/** The name under which agents see an answer, by its author's place in the configuration. The first one is `agent1`. */
export function anonymousName(index: number): string {
  return `agent${index + 1}`;
}

/**
 * The id of the agent with the most votes. With a tie, or without votes, it is the first one in the configuration.
 *
 * @param candidates ids of the agents with an answer, in the order of the configuration
 * @returns undefined when there are no candidates
 */
export function winnerOf(candidates: string[], votes: Vote[]): string | undefined {
  const countFor = (agent: string): number => votes.filter((vote) => vote.agent === agent).length;
  const [first, ...others] = candidates;
  if (first === undefined) return undefined;
  return others.reduce((best, agent) => (countFor(agent) > countFor(best) ? agent : best), first);
}
