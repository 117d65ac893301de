import { missingKey } from '../models/providers.ts';
import type { Environment } from './environment.ts';
import type { Team } from './team.ts';

/** What would keep a team from running in this environment: keys that are not set, models that nobody named. */
export function preflight(team: Team, environment: Environment): string[] {
  const backends = team.agents.map(({ id, backend }) => ({ where: `agent ${id}`, backend }));
  if (team.final_agent !== undefined)
    backends.push({ where: 'final_agent', backend: team.final_agent.backend });
  return backends.flatMap(({ where, backend }) => {
    const missing = missingKey(backend, environment);
    return [
      ...(missing === undefined
        ? []
        : [`${where}: its backend "${backend.type}" needs ${missing}, which is not set`]),
      ...(backend.type === 'chatcompletion' && backend.model === undefined
        ? [`${where}: a chatcompletion backend needs a model`]
        : []),
    ];
  });
}
