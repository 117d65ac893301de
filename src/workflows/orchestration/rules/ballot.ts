/** The name under which agents see an answer, by its author's place in the configuration. The first one is `agent1`. */
export function anonymousName(index: number): string {
  return `agent${index + 1}`;
}

/** The candidate with the most votes, of several the first; undefined when there are no candidates. */
export function winnerOf(candidates: string[], votes: Array<{ agent: string }>): string | undefined {
  const countFor = (agent: string): number => votes.filter((vote) => vote.agent === agent).length;
  const [first, ...others] = candidates;
  if (first === undefined) return undefined;
  return others.reduce((best, agent) => (countFor(agent) > countFor(best) ? agent : best), first);
}
