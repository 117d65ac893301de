import { completeResearch, preflightResearch } from '../config/complete-research.ts';
import type { ResearchConfig } from '../config/research.ts';
import { withoutEffectInResearch } from '../config/without-effect.ts';
import type { PreparedResearch } from '../protocol/research.ts';
import { pricesFor } from '../models/prices.ts';
import { invalid, offlineNotice, type PrepareDependencies } from './prepare-input.ts';

/**
 * Completes a configuration of research.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with every key that is missing
 */
export function prepareResearch(
  config: ResearchConfig,
  { environment, prices }: PrepareDependencies,
): Omit<PreparedResearch, 'idea'> {
  const settings = completeResearch(config, environment);
  const problems = preflightResearch(settings, environment);
  if (problems.length > 0) throw invalid(problems);
  const { plan, criticism, synthesize, backend } = config.research;
  const roles = [plan, criticism, synthesize].map((role) => role?.backend ?? backend);
  const backends = Object.values(settings.backends);
  const fellBack = backends.some(({ type }, index) => type === 'offline' && roles[index] === undefined);
  return {
    settings,
    prices: pricesFor(backends, prices),
    notices: [...withoutEffectInResearch(config), ...(fellBack ? [offlineNotice] : [])],
  };
}
