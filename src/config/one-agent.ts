import type { ToolSources } from '../protocol/tool.ts';
import type { Backend } from './backend.ts';
import type { Broadcast } from './broadcast.ts';
import type { OrchestratorSettings } from './orchestrators.ts';
import type { Team } from './team.ts';

/** One agent that is ready to work: what a `modules` + `exchange` configuration comes to. */
export interface OneAgent {
  /** Id of its orchestrator's module. */
  id: string;
  backend: Backend;
  orchestrator: OrchestratorSettings;
  tools: ToolSources;
  coordination: Broadcast;
  budget: Team['budget'];
  /** Seconds that a session waits for the next turn before it ends; absent: for ever. */
  idle_timeout?: number | undefined;
}

/** What a file says: the backend may be without a model. */
export interface OneAgentConfig extends OneAgent {
  /** Ids of modules that no wire leads to from the entry. */
  unused: string[];
}
