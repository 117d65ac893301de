import { ApplicationFailure } from '@temporalio/common';
import { completeTeam } from '../config/default-team.ts';
import type { Environment } from '../config/environment.ts';
import { checkTeam, withoutEffect } from '../config/kinds.ts';
import { readNamedConfig } from '../config/named-config.ts';
import { orchestrationInputSchema } from '../config/orchestration-input.ts';
import { preflight } from '../config/preflight.ts';
import { problemsOf, problemText } from '../config/problems.ts';
import type { Team, TeamConfig } from '../config/team.ts';
import type { PreparedOrchestration } from '../messages/orchestration.ts';
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

/**
 * The activity `prepareOrchestration`, a workflow's first step: since runs are started from anywhere, it is here
 * that the input is checked and completed.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with everything that is wrong
 */
export function createPrepareOrchestration({ environment, configFolder, prices }: PrepareDependencies) {
  return async function prepareOrchestration(input: unknown): Promise<PreparedOrchestration> {
    const checked = orchestrationInputSchema.safeParse(input);
    if (!checked.success) {
      throw invalid(
        problemsOf(orchestrationInputSchema, checked.error, input).map((problem) => problemText(problem)),
      );
    }
    const { config, ...rest } = checked.data;
    const named = teamConfig(config, configFolder);
    const team = completeTeam(named, environment);
    const problems = preflight(team, environment);
    if (problems.length > 0) throw invalid(problems);
    const backends = [
      ...team.agents.map(({ backend }) => backend),
      ...(team.final_agent ? [team.final_agent.backend] : []),
    ];
    return {
      ...rest,
      team,
      prices: pricesFor(backends, prices),
      notices: [...withoutEffect(named), ...offlineNotice(named, team)],
    };
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
