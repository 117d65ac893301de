import { readEnvironment, type Environment } from '../../config/environment.ts';
import { ignoredKeys } from '../../config/ignored-keys.ts';
import type { CheckedConfig } from '../../config/kinds.ts';
import { completeAgent, describeAgent, preflightAgent } from '../../config/one-agent.ts';
import { completePlan, describePlan, preflightPlan } from '../../config/plan.ts';
import { readConfigFile } from '../../config/read-config.ts';
import { completeResearch, describeResearch, preflightResearch } from '../../config/research.ts';
import { completeTeam, describeTeam, preflightTeam } from '../../config/team.ts';
import { say, usageError } from '../exit.ts';

/** `reprise validate FILE`: checks a configuration. Needs no keys: a missing one is only a warning here. */
export function validate(file: string): void {
  const read = readConfigFile(file);
  if (!read.ok) throw usageError(read.problems.join('\n'));
  const { missing, text } = look(read.config, readEnvironment(process.env));
  for (const warning of missing) say(`Warning: ${warning}`);
  for (const notice of ignoredKeys(read.config)) say(notice);
  process.stdout.write(`${file} is valid.\n${text}\n`);
}

function look(config: CheckedConfig, environment: Environment): { missing: string[]; text: string } {
  switch (config.kind) {
    case 'team': {
      const team = completeTeam(config.team, environment);
      return { missing: preflightTeam(team, environment), text: describeTeam(team) };
    }
    case 'agent': {
      const agent = completeAgent(config.agent);
      return { missing: preflightAgent(agent, environment), text: describeAgent(agent) };
    }
    case 'research': {
      const settings = completeResearch(config.research, environment);
      return { missing: preflightResearch(settings, environment), text: describeResearch(settings) };
    }
    case 'plan': {
      const settings = completePlan(config.plan, environment);
      return { missing: preflightPlan(settings, environment), text: describePlan(settings) };
    }
  }
}
