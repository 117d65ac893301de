import { ApplicationFailure } from '@temporalio/common';
import type { z } from 'zod';
import { completeTeam } from '../config/default-team.ts';
import type { Environment } from '../config/environment.ts';
import { checkTeam, withoutEffect } from '../config/kinds.ts';
import { readNamedConfig } from '../config/named-config.ts';
import { preflight } from '../config/preflight.ts';
import { problemsOf, problemText } from '../config/problems.ts';
import type { Team, TeamConfig } from '../config/team.ts';
import type { PreparedTeam } from '../messages/orchestration.ts';
import type { PriceTable } from '../messages/prices.ts';
import { pricesFor } from '../models/prices.ts';

/** Type of the failure of a run whose input or configuration is wrong: nothing was spent. */
export const INVALID_INPUT = 'InvalidInput';

export interface PrepareDependencies {
  environment: Environment;
  /** Where configurations that are named in an input are found. */
  configFolder: string;
  /** Prices that win over the built-in ones. */
  prices: PriceTable;
}

/** @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with everything that is wrong */
export function checkedInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const checked = schema.safeParse(input);
  if (checked.success) return checked.data;
  throw invalid(problemsOf(schema, checked.error, input).map((problem) => problemText(problem)));
}

/**
 * Finds, checks and completes a team's configuration.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with everything that is wrong
 */
export function prepareTeam(
  config: object | string | undefined,
  { configFolder, environment, prices }: PrepareDependencies,
): PreparedTeam {
  const named = teamConfig(config, configFolder);
  const team = completeTeam(named, environment);
  const problems = preflight(team, environment);
  if (problems.length > 0) throw invalid(problems);
  const backends = [
    ...team.agents.map(({ backend }) => backend),
    ...(team.final_agent ? [team.final_agent.backend] : []),
  ];
  return {
    team,
    prices: pricesFor(backends, prices),
    notices: [...withoutEffect(named), ...offlineNotice(named, team)],
  };
}

/** Nobody should take the offline model's answers for those of a language model. */
function offlineNotice({ agents }: TeamConfig, team: Team): string[] {
  const fellBack = team.agents.some(
    ({ backend }, index) => backend.type === 'offline' && agents?.[index]?.backend === undefined,
  );
  const keys = 'OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY';
  return fellBack ? [`No API key is set: the offline model answers (set ${keys} for a real one)`] : [];
}

function teamConfig(config: object | string | undefined, folder: string): TeamConfig {
  if (typeof config === 'string') {
    const read = readNamedConfig(config, folder);
    if (!read.ok) throw invalid(read.problems);
    return read.config;
  }
  const checked = checkTeam(config ?? {});
  if (checked.ok) return checked.value;
  throw invalid(
    checked.problems.map(({ path, message }) => problemText({ path: ['config', ...path], message })),
  );
}

function invalid(problems: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(problems.join('\n'), INVALID_INPUT);
}
