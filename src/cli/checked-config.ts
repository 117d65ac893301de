import { readEnvironment } from '../config/environment.ts';
import { checkConversation, checkPlan, checkResearch, checkTeam, type CheckedConfig } from '../config/kinds.ts';
import { defaultAgent, preflightAgent } from '../config/one-agent.ts';
import { planSchema, type PlanConfig } from '../config/plan.ts';
import type { Checked } from '../config/problems.ts';
import { readConfigFile } from '../config/read-config.ts';
import { researchSchema, type ResearchConfig } from '../config/research.ts';
import { teamSchema, type TeamConfig } from '../config/team.ts';
import { examine } from './examine.ts';
import { usageError } from './exit.ts';
import type { CommonOptions } from './options.ts';
import { meansLocal } from './target.ts';

/**
 * Reads the team's configuration that a command was given, and checks it before anything starts.
 *
 * @throws `CommandError`, status 2, with everything that is wrong
 */
export const readTeam = (options: CommonOptions): TeamConfig | undefined =>
  read(options, checkTeam, (team = teamSchema.parse({})) => ({ kind: 'team', team }));

/** Reads the configuration of a research run as `readTeam` reads a team's. */
export const readResearch = (options: CommonOptions): ResearchConfig | undefined =>
  read(options, checkResearch, (research = researchSchema.parse({ research: {} })) => ({ kind: 'research', research }));

/** Reads the configuration of a plan as `readTeam` reads a team's. */
export const readPlan = (options: CommonOptions): PlanConfig | undefined =>
  read(options, checkPlan, (plan = planSchema.parse({ plan: {} })) => ({ kind: 'plan', plan }));

/** Reads the configuration of a session, a team's or one agent's, as `readTeam` reads a team's. */
export const readConversation = (options: CommonOptions): object | undefined =>
  read(options, checkConversation, (config) => config)?.content;

/** @param whole the configuration with its kind, or the default one; undefined for the default agent */
function read<T>(
  options: CommonOptions,
  check: (content: unknown) => Checked<T>,
  whole: (config: T | undefined) => CheckedConfig | undefined,
): T | undefined {
  const found = options.config === undefined ? undefined : readConfigFile(options.config, check);
  if (found?.ok === false) throw usageError(found.problems.join('\n'));
  // A worker elsewhere has keys of its own; one on this machine has the keys of this process.
  if (meansLocal(options)) {
    const environment = readEnvironment(process.env);
    const config = whole(found?.config);
    const missing = config
      ? examine(config, environment).missing
      : preflightAgent(defaultAgent(environment), environment);
    if (missing.length > 0) throw usageError(missing.join('\n'));
  }
  return found?.config;
}
