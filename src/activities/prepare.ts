import { orchestrationInputSchema } from '../config/orchestration-input.ts';
import { sessionInputSchema } from '../config/session-input.ts';
import type { PreparedOrchestration } from '../messages/orchestration.ts';
import type { PreparedSession } from '../messages/session.ts';
import { checkedInput, prepareTeam, type PrepareDependencies } from './prepare-team.ts';

/**
 * The activities that are a workflow's first step: since runs are started from anywhere, it is here that the input is
 * checked and completed. They throw `ApplicationFailure` of type `InvalidInput`, with everything that is wrong.
 */
export function createPreparations(dependencies: PrepareDependencies) {
  return {
    async prepareOrchestration(input: unknown): Promise<PreparedOrchestration> {
      const { config, ...rest } = checkedInput(orchestrationInputSchema, input);
      return { ...rest, ...prepareTeam(config, dependencies) };
    },

    async prepareSession(input: unknown): Promise<PreparedSession> {
      const { config, history, text } = checkedInput(sessionInputSchema, input);
      return {
        kind: 'team',
        history,
        ...(text !== undefined && { text }),
        ...prepareTeam(config, dependencies),
      };
    },
  };
}
