import type { ToolSources } from '../messages/tool.ts';
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
