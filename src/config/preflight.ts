import { missingKey } from '../models/providers.ts';
import type { Backend } from './backend.ts';
import type { Environment } from './environment.ts';
import type { OneAgent } from './one-agent.ts';
import type { Team } from './team.ts';

/** What would keep a team from running in this environment: keys that are not set, models that nobody named. */
export function preflight({ agents, final_agent }: Team, environment: Environment): string[] {
  return [
    ...agents.flatMap((agent) => preflightAgent(agent, environment)),
    ...(final_agent === undefined ? [] : lacking('final agent', final_agent.backend, environment)),
  ];
}

/** The same of one agent. */
export function preflightAgent(
  { id, backend }: Pick<OneAgent, 'id' | 'backend'>,
  environment: Environment,
): string[] {
  return lacking(`agent ${id}`, backend, environment);
}

/** @param where who has this backend, in words */
export function lacking(where: string, backend: Backend, environment: Environment): string[] {
  const missing = missingKey(backend, environment);
  return [
    ...(missing === undefined
      ? []
      : [`${where}: its backend "${backend.type}" needs ${missing}, which is not set`]),
    ...(backend.type === 'chatcompletion' && backend.model === undefined
      ? [`${where}: a chatcompletion backend needs a model`]
      : []),
  ];
}
