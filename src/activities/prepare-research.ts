import { completeResearch, preflightResearch, searchesOwnDocs } from '../config/complete-research.ts';
import type { ResearchConfig } from '../config/research.ts';
import { withoutEffectInResearch } from '../config/without-effect.ts';
import type { PreparedResearch } from '../messages/research.ts';
import { pricesFor } from '../models/prices.ts';
import { invalid, offlineNotice, type PrepareDependencies } from './prepare-input.ts';

/** A report on anything else would find nothing, and nobody should wonder why. */
const ownDocsNotice =
  "ONLY REPRISE'S OWN DOCUMENTATION IS SEARCHED: name a folder (search.folder) or a service (search.provider: searxng or tavily)";

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
    notices: [
      ...withoutEffectInResearch(config),
      ...(fellBack ? [offlineNotice] : []),
      ...(searchesOwnDocs(settings) ? [ownDocsNotice] : []),
    ],
  };
}
