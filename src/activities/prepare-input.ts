import { ApplicationFailure } from '@temporalio/common';
import type { z } from 'zod';
import type { Environment } from '../config/environment.ts';
import { readNamedConfig } from '../config/named-config.ts';
import { problemsOf, problemText, under, type Checked } from '../config/problems.ts';
import type { Read } from '../config/read-config.ts';
import type { PriceTable } from '../messages/prices.ts';

/** Type of the failure of a run whose input or configuration is wrong: nothing was spent. */
export const INVALID_INPUT = 'InvalidInput';

export interface PrepareDependencies {
  environment: Environment;
  /** Where configurations that are named in an input are found. */
  configFolder: string;
  /** Prices that win over the built-in ones. */
  prices: PriceTable;
}

/** Nobody should take the offline model's answers for those of a language model. */
export const offlineNotice =
  'No API key is set: the offline model answers, which is not a language model (it quotes texts and judges nothing); ' +
  'for one set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY';

/** @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with everything that is wrong */
export function checkedInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const checked = schema.safeParse(input);
  if (checked.success) return checked.data;
  throw invalid(problemsOf(schema, checked.error, input).map((problem) => problemText(problem)));
}

/**
 * Finds and checks the configuration that an input has or names.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with everything that is wrong
 */
export function checkedConfig<T>(
  config: object | string,
  folder: string,
  check: (content: unknown) => Checked<T>,
  read: (file: string) => Read<T>,
): T {
  if (typeof config === 'string') {
    const named = readNamedConfig(config, folder, read);
    if (named.ok) return named.config;
    throw invalid(named.problems);
  }
  const checked = check(config);
  if (checked.ok) return checked.value;
  throw invalid(under(['config'], checked.problems).map((problem) => problemText(problem)));
}

export function invalid(problems: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(problems.join('\n'), INVALID_INPUT);
}
