import { completeAgent, defaultAgent } from '../config/default-agent.ts';
import type { OneAgentConfig } from '../config/one-agent.ts';
import { preflightAgent } from '../config/preflight.ts';
import { withoutEffectInAgent } from '../config/without-effect.ts';
import type { PreparedAgent } from '../protocol/session.ts';
import { pricesFor } from '../models/prices.ts';
import { invalid, offlineNotice, type PrepareDependencies } from './prepare-input.ts';

/**
 * Completes the configuration of one agent; absent, that of the default one.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with every key that is missing
 */
export function prepareAgent(
  config: OneAgentConfig | undefined,
  { environment, prices }: PrepareDependencies,
): PreparedAgent {
  const agent = config === undefined ? defaultAgent(environment) : completeAgent(config);
  const problems = preflightAgent(agent, environment);
  if (problems.length > 0) throw invalid(problems);
  const fellBack = config === undefined && agent.backend.type === 'offline';
  return {
    agent,
    prices: pricesFor([agent.backend], prices),
    notices: [
      ...(config === undefined ? [] : withoutEffectInAgent(config)),
      ...(fellBack ? [offlineNotice] : []),
    ],
  };
}
