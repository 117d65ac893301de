import { completeTeam } from '../config/default-team.ts';
import { preflight } from '../config/preflight.ts';
import type { Team, TeamConfig } from '../config/team.ts';
import { withoutEffect } from '../config/without-effect.ts';
import type { PreparedTeam } from '../protocol/orchestration.ts';
import { pricesFor } from '../models/prices.ts';
import { invalid, offlineNotice, type PrepareDependencies } from './prepare-input.ts';

/**
 * Completes a team's configuration.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with every key and model that is missing
 */
export function prepareTeam(config: TeamConfig, { environment, prices }: PrepareDependencies): PreparedTeam {
  const team = completeTeam(config, environment);
  const problems = preflight(team, environment);
  if (problems.length > 0) throw invalid(problems);
  const backends = [
    ...team.agents.map(({ backend }) => backend),
    ...(team.final_agent ? [team.final_agent.backend] : []),
  ];
  return {
    team,
    prices: pricesFor(backends, prices),
    notices: [...withoutEffect(config), ...(fellBack(config, team) ? [offlineNotice] : [])],
  };
}

const fellBack = ({ agents }: TeamConfig, team: Team): boolean =>
  team.agents.some(
    ({ backend }, index) => backend.type === 'offline' && agents?.[index]?.backend === undefined,
  );
