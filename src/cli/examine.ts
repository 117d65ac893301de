import { missingSdk } from '../claude-code/sdk.ts';
import { preflight } from '../config/kind.ts';
import { partsOf, type CheckedConfig } from '../config/kinds.ts';
import { findPrices, readPrices } from '../config/models/prices.ts';
import { searchNotices } from '../config/tools/everyday-tools.ts';
import { usageError } from './exit.ts';
import type { Shell } from './shell.ts';

/** What a configuration comes to with the variables of a command. */
interface Examined {
  /** What would keep it from running there, such as a key that is not set. */
  missing: string[];
  /** What a person should know of its models' prices, and of its tools. */
  warnings: string[];
  /** Its description. */
  text: string;
}

/**
 * @param folder that of the configuration
 * @throws `CommandError`, status 2, if the user's file of prices cannot be read
 */
export function examine(shell: Shell, config: CheckedConfig, folder: string): Examined {
  const { environment } = shell;
  const [kind, said] = partsOf(config);
  const settings = kind.complete(said, environment);
  const roles = Object.values(kind.roles(settings));
  const backends = roles.map(({ backend }) => backend);
  const { warnings, problems } = findPrices(backends, settings, ownPrices(shell), environment);
  return {
    missing: [...preflight(kind, settings, environment), ...missingSdk(backends, folder), ...problems],
    warnings: [...(problems.length > 0 ? [] : warnings), ...searchNotices(roles, environment)],
    text: kind.describe(settings),
  };
}

function ownPrices({ cwd, environment }: Shell): ReturnType<typeof readPrices> {
  try {
    return readPrices(environment, cwd);
  } catch (error) {
    throw usageError(`REPRISE_PRICES: ${error instanceof Error ? error.message : String(error)}`);
  }
}
