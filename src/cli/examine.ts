import type { CheckedConfig } from '../config/kinds.ts';
import { completeAgent, describeAgent, preflightAgent } from '../config/one-agent.ts';
import { completePlan, describePlan, preflightPlan } from '../config/plan.ts';
import { findPrices, readPrices } from '../config/models/prices.ts';
import { completeResearch, describeResearch, preflightResearch } from '../config/research.ts';
import { backendsOf, completeTeam, describeTeam, preflightTeam } from '../config/team.ts';
import { missingSdk } from '../claude-code/sdk.ts';
import { searchNotices } from '../config/tools/everyday-tools.ts';
import { usageError } from './exit.ts';
import type { Shell } from './shell.ts';
import type { Backend } from '../protocol/settings.ts';

/** What a configuration comes to with the variables of a command. */
interface Examined {
  /** What would keep it from running there, such as a key that is not set. */
  missing: string[];
  /** What a person should know of its models' prices, and of its tools. */
  warnings: string[];
  /** Its description. */
  text: string;
}

/**
 * @param folder that of the configuration
 * @throws `CommandError`, status 2, if the user's file of prices cannot be read
 */
export function examine(shell: Shell, config: CheckedConfig, folder: string): Examined {
  const { environment } = shell;
  switch (config.kind) {
    case 'team': {
      const team = completeTeam(config.team, environment);
      const missing = [...preflightTeam(team, environment), ...missingSdk(backendsOf(team), folder)];
      return examined(backendsOf(team), team, missing, describeTeam(team), shell, team.agents);
    }
    case 'agent': {
      const agent = completeAgent(config.agent);
      const missing = preflightAgent(agent, environment);
      return examined([agent.backend], agent, missing, describeAgent(agent), shell, [agent]);
    }
    case 'research': {
      const settings = completeResearch(config.research, environment);
      const missing = preflightResearch(settings, environment);
      return examined(Object.values(settings.backends), settings, missing, describeResearch(settings), shell);
    }
    case 'plan': {
      const settings = completePlan(config.plan, environment);
      const missing = preflightPlan(settings, environment);
      const { backends, tools } = settings;
      const agents = [{ backend: backends.executor, tools }];
      return examined(Object.values(backends), settings, missing, describePlan(settings), shell, agents);
    }
  }
}

function examined(
  backends: Backend[],
  settings: Parameters<typeof findPrices>[1],
  missing: string[],
  text: string,
  shell: Shell,
  agents: Parameters<typeof searchNotices>[0] = [],
): Examined {
  const { environment } = shell;
  const { warnings, problems } = findPrices(backends, settings, ownPrices(shell), environment);
  const told = [...(problems.length > 0 ? [] : warnings), ...searchNotices(agents, environment)];
  return { missing: [...missing, ...problems], warnings: told, text };
}

function ownPrices({ cwd, environment }: Shell): ReturnType<typeof readPrices> {
  try {
    return readPrices(environment, cwd);
  } catch (error) {
    throw usageError(`REPRISE_PRICES: ${error instanceof Error ? error.message : String(error)}`);
  }
}
