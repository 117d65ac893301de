import { completePlan, preflightPlan } from '../config/complete-plan.ts';
import type { PlanConfig } from '../config/plan.ts';
import type { PreparedSolve } from '../protocol/plan-and-execute.ts';
import { pricesFor } from '../models/prices.ts';
import { invalid, offlineNotice, type PrepareDependencies } from './prepare-input.ts';

/**
 * Completes a configuration of a plan.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with every key that is missing
 */
export function prepareSolve(
  config: PlanConfig,
  { environment, prices }: PrepareDependencies,
): Pick<PreparedSolve, 'settings' | 'prices' | 'notices'> {
  const settings = completePlan(config, environment);
  const problems = preflightPlan(settings, environment);
  if (problems.length > 0) throw invalid(problems);
  const { backend, executor, planner, synthesis, validator } = config.plan;
  const named = [planner, validator, synthesis, executor].map((role) => role?.backend ?? backend);
  const backends = Object.values(settings.backends);
  const fellBack = backends.some(({ type }, index) => type === 'offline' && named[index] === undefined);
  return { settings, prices: pricesFor(backends, prices), notices: fellBack ? [offlineNotice] : [] };
}
