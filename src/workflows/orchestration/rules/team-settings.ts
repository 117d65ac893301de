import { defaultTemporaryWorkspace } from '../../../protocol/workspace.ts';
import type { AgentSettings, Team } from '../../../protocol/settings.ts';

/** Claude Code takes no questions while it works, and asks none (MassGen's documentation "Agent Communication"). */
export const cannotAsk = ({ backend }: Pick<AgentSettings, 'backend'>): boolean => backend.type === 'claude_code';

export const mayRestart = ({ orchestrator }: Team): boolean => orchestrator.coordination.max_orchestration_restarts > 0;

/** The anonymous names of the agents, and that of the best answer of earlier attempts where there may be one. */
export const namesOf = (team: Team): string[] =>
  Array.from({ length: team.agents.length + (mayRestart(team) ? 1 : 0) }, (_, index) => anonymousName(index));

/** The folder in which agents find the files of other answers. */
export const temporaryWorkspace = ({ orchestrator }: Team): string =>
  orchestrator.agent_temporary_workspace ?? defaultTemporaryWorkspace;

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
