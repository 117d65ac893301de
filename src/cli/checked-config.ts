import { completePlan, preflightPlan } from '../config/complete-plan.ts';
import { completeResearch, preflightResearch } from '../config/complete-research.ts';
import { completeAgent, defaultAgent } from '../config/default-agent.ts';
import { completeTeam } from '../config/default-team.ts';
import { readEnvironment, type Environment } from '../config/environment.ts';
import type { PartnerConfig } from '../config/kinds.ts';
import { planSchema, type PlanConfig } from '../config/plan.ts';
import { preflight, preflightAgent } from '../config/preflight.ts';
import {
  readPartnerFile,
  readPlanFile,
  readResearchFile,
  readTeamFile,
  type Read,
} from '../config/read-config.ts';
import { researchSchema, type ResearchConfig } from '../config/research.ts';
import { teamSchema, type TeamConfig } from '../config/team.ts';
import { usageError } from './exit.ts';
import type { CommonOptions } from './options.ts';
import { meansLocal } from './target.ts';

/**
 * The team's configuration that a command was given, checked before anything starts.
 *
 * @throws `CommandError`, status 2, with everything that is wrong
 */
export function readTeam(options: CommonOptions): TeamConfig | undefined {
  const config = options.config === undefined ? undefined : valid(readTeamFile(options.config));
  checkKeys(options, (environment) =>
    preflight(completeTeam(config ?? teamSchema.parse({}), environment), environment),
  );
  return config;
}

/** The same of a team or of one agent, as a session takes it. */
export function readPartner(options: CommonOptions): object | undefined {
  const config = options.config === undefined ? undefined : valid(readPartnerFile(options.config));
  checkKeys(options, (environment) => problemsOf(config, environment));
  return config?.content;
}

/** The same of a research. */
export function readResearch(options: CommonOptions): ResearchConfig | undefined {
  const config = options.config === undefined ? undefined : valid(readResearchFile(options.config));
  checkKeys(options, (environment) =>
    preflightResearch(completeResearch(config ?? researchSchema.parse({}), environment), environment),
  );
  return config;
}

/** The same of a plan. */
export function readPlan(options: CommonOptions): PlanConfig | undefined {
  const config = options.config === undefined ? undefined : valid(readPlanFile(options.config));
  checkKeys(options, (environment) =>
    preflightPlan(completePlan(config ?? planSchema.parse({}), environment), environment),
  );
  return config;
}

function problemsOf(config: PartnerConfig | undefined, environment: Environment): string[] {
  if (config?.kind === 'team') return preflight(completeTeam(config.team, environment), environment);
  const agent = config === undefined ? defaultAgent(environment) : completeAgent(config.agent);
  return preflightAgent(agent, environment);
}

/** A worker elsewhere has keys of its own; one here has ours, so that what is missing can be said. */
function checkKeys(options: CommonOptions, check: (environment: Environment) => string[]): void {
  if (!meansLocal(options)) return;
  const problems = check(readEnvironment(process.env));
  if (problems.length > 0) throw usageError(problems.join('\n'));
}

function valid<T>(read: Read<T>): T {
  if (!read.ok) throw usageError(read.problems.join('\n'));
  return read.config;
}
