import { checkPartner, checkPlan, checkResearch, checkTeam } from '../config/kinds.ts';
import { orchestrationInputSchema } from '../config/orchestration-input.ts';
import { readPartnerFile, readPlanFile, readResearchFile, readTeamFile } from '../config/read-config.ts';
import { researchInputSchema } from '../config/research-input.ts';
import { solveInputSchema } from '../config/solve-input.ts';
import { sessionInputSchema } from '../config/session-input.ts';
import type { PreparedOrchestration } from '../protocol/orchestration.ts';
import type { PreparedResearch } from '../protocol/research.ts';
import type { PreparedSolve } from '../protocol/plan-and-execute.ts';
import type { PreparedSession } from '../protocol/session.ts';
import { prepareAgent } from './prepare-agent.ts';
import { prepareSolve } from './prepare-solve.ts';
import { checkedConfig, checkedInput, type PrepareDependencies } from './prepare-input.ts';
import { prepareResearch } from './prepare-research.ts';
import { prepareTeam } from './prepare-team.ts';

/**
 * The activities that are a workflow's first step: since runs are started from anywhere, it is here that the input is
 * checked and completed. They throw `ApplicationFailure` of type `InvalidInput`, with everything that is wrong.
 */
export function createPreparations(dependencies: PrepareDependencies) {
  const { configFolder } = dependencies;
  return {
    async prepareOrchestration(input: unknown): Promise<PreparedOrchestration> {
      const { config = {}, ...rest } = checkedInput(orchestrationInputSchema, input);
      const team = checkedConfig(config, configFolder, checkTeam, readTeamFile);
      return { ...rest, ...prepareTeam(team, dependencies) };
    },

    async prepareSession(input: unknown): Promise<PreparedSession> {
      const { config, history, text } = checkedInput(sessionInputSchema, input);
      const rest = { history, ...(text !== undefined && { text }) };
      const checked =
        config === undefined ? undefined : checkedConfig(config, configFolder, checkPartner, readPartnerFile);
      if (checked?.kind === 'team')
        return { ...rest, kind: 'team', ...prepareTeam(checked.team, dependencies) };
      return { ...rest, kind: 'agent', ...prepareAgent(checked?.agent, dependencies) };
    },

    async prepareResearch(input: unknown): Promise<PreparedResearch> {
      const { config = { research: {} }, idea } = checkedInput(researchInputSchema, input);
      const research = checkedConfig(config, configFolder, checkResearch, readResearchFile);
      return { idea, ...prepareResearch(research, dependencies) };
    },

    async prepareSolve(input: unknown): Promise<PreparedSolve> {
      const { config = { plan: {} }, problem } = checkedInput(solveInputSchema, input);
      const plan = checkedConfig(config, configFolder, checkPlan, readPlanFile);
      return { problem, ...prepareSolve(plan, dependencies) };
    },
  };
}
