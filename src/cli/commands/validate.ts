import { completePlan, describePlan, preflightPlan } from '../../config/complete-plan.ts';
import { completeResearch, describeResearch, preflightResearch } from '../../config/complete-research.ts';
import { completeAgent } from '../../config/default-agent.ts';
import { completeTeam } from '../../config/default-team.ts';
import { describeAgent } from '../../config/describe-agent.ts';
import { describeTeam } from '../../config/describe-team.ts';
import { readEnvironment, type Environment } from '../../config/environment.ts';
import type { Config } from '../../config/kinds.ts';
import { preflight, preflightAgent } from '../../config/preflight.ts';
import { readConfigFile } from '../../config/read-config.ts';
import { withoutEffect, withoutEffectInAgent, withoutEffectInResearch } from '../../config/without-effect.ts';
import { say, usageError } from '../exit.ts';

/** `reprise validate FILE`: checks a configuration. Needs no keys: a missing one is only a warning here. */
export function validate(file: string): void {
  const read = readConfigFile(file);
  if (!read.ok) throw usageError(read.problems.join('\n'));
  const { missing, notices, text } = look(read.config, readEnvironment(process.env));
  for (const warning of missing) say(`Warning: ${warning}`);
  for (const notice of notices) say(notice);
  process.stdout.write(`${file} is valid.\n${text}\n`);
}

function look(config: Config, environment: Environment) {
  if (config.kind === 'agent') {
    const agent = completeAgent(config.agent);
    const notices = withoutEffectInAgent(config.agent);
    return { missing: preflightAgent(agent, environment), notices, text: describeAgent(agent) };
  }
  if (config.kind === 'research') {
    const settings = completeResearch(config.research, environment);
    return {
      missing: preflightResearch(settings, environment),
      notices: withoutEffectInResearch(config.research),
      text: describeResearch(settings),
    };
  }
  if (config.kind === 'plan') {
    const settings = completePlan(config.plan, environment);
    return { missing: preflightPlan(settings, environment), notices: [], text: describePlan(settings) };
  }
  const team = completeTeam(config.team, environment);
  return {
    missing: preflight(team, environment),
    notices: withoutEffect(config.team),
    text: describeTeam(team),
  };
}
