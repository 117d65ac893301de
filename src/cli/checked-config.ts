import { readEnvironment, type Environment } from '../config/environment.ts';
import { checkConversation, checkPlan, checkResearch, checkTeam, type ConversationConfig } from '../config/kinds.ts';
import { completeAgent, defaultAgent, preflightAgent } from '../config/one-agent.ts';
import { completePlan, planSchema, preflightPlan, type PlanConfig } from '../config/plan.ts';
import { readConfigFile, type Read } from '../config/read-config.ts';
import { completeResearch, preflightResearch, researchSchema, type ResearchConfig } from '../config/research.ts';
import { completeTeam, preflightTeam, teamSchema, type TeamConfig } from '../config/team.ts';
import { usageError } from './exit.ts';
import type { CommonOptions } from './options.ts';
import { meansLocal } from './target.ts';

/**
 * The team's configuration that a command was given, checked before anything starts.
 *
 * @throws `CommandError`, status 2, with everything that is wrong
 */
export function readTeam(options: CommonOptions): TeamConfig | undefined {
  const config = options.config === undefined ? undefined : valid(readConfigFile(options.config, checkTeam));
  checkKeys(options, (environment) =>
    preflightTeam(completeTeam(config ?? teamSchema.parse({}), environment), environment),
  );
  return config;
}

/** The same of a team or of one agent, as a session takes it. */
export function readConversation(options: CommonOptions): object | undefined {
  const config = options.config === undefined ? undefined : valid(readConfigFile(options.config, checkConversation));
  checkKeys(options, (environment) => problemsOf(config, environment));
  return config?.content;
}

/** The same of a research run. */
export function readResearch(options: CommonOptions): ResearchConfig | undefined {
  const config = options.config === undefined ? undefined : valid(readConfigFile(options.config, checkResearch));
  checkKeys(options, (environment) =>
    preflightResearch(completeResearch(config ?? researchSchema.parse({ research: {} }), environment), environment),
  );
  return config;
}

/** The same of a plan. */
export function readPlan(options: CommonOptions): PlanConfig | undefined {
  const config = options.config === undefined ? undefined : valid(readConfigFile(options.config, checkPlan));
  checkKeys(options, (environment) =>
    preflightPlan(completePlan(config ?? planSchema.parse({ plan: {} }), environment), environment),
  );
  return config;
}

function problemsOf(config: ConversationConfig | undefined, environment: Environment): string[] {
  if (config?.kind === 'team') return preflightTeam(completeTeam(config.team, environment), environment);
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
