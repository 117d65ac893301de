import type { Environment } from '../config/environment.ts';
import type { CheckedConfig } from '../config/kinds.ts';
import { completeAgent, describeAgent, preflightAgent } from '../config/one-agent.ts';
import { completePlan, describePlan, preflightPlan } from '../config/plan.ts';
import { completeResearch, describeResearch, preflightResearch } from '../config/research.ts';
import { completeTeam, describeTeam, preflightTeam } from '../config/team.ts';

/** What a configuration comes to in an environment: what is missing there, such as a key, and its description. */
export function examine(config: CheckedConfig, environment: Environment): { missing: string[]; text: string } {
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
