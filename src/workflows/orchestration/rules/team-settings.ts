import { defaultTemporaryWorkspace } from '../../../protocol/workspace.ts';
import { anonymousName } from './ballot.ts';
import type { AgentSettings, Team } from '../../../protocol/settings.ts';

/** What follows from a team's configuration. */

/** Claude Code takes no questions while it works, and asks none (MassGen's documentation "Agent Communication"). */
export const cannotAsk = ({ backend }: Pick<AgentSettings, 'backend'>): boolean => backend.type === 'claude_code';

export const mayRestart = ({ orchestrator }: Team): boolean => orchestrator.coordination.max_orchestration_restarts > 0;

/** The anonymous names of the agents. @param withEarlier whether there may be an earlier answer to name */
export const namesOf = ({ agents }: Team, withEarlier = false): string[] =>
  Array.from({ length: agents.length + (withEarlier ? 1 : 0) }, (_, index) => anonymousName(index));

/** The folder in which agents find the files of other answers. */
export const temporaryWorkspace = ({ orchestrator }: Team): string =>
  orchestrator.agent_temporary_workspace ?? defaultTemporaryWorkspace;
