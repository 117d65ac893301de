import { serverVariables, type ServerVariables } from '../../config/tools/server-variables.ts';
import type { McpServer } from '../../protocol/settings.ts';
import type { Environment } from '../../util/environment.ts';
import { redact } from '../../util/text/redact.ts';
import { SourceError } from '../tool.ts';

/** What a server is given of the worker's environment. */
export interface Given extends Omit<ServerVariables, 'unset'> {
  /** What it was logged in with by that. */
  tokens: string[];
}

/**
 * Puts variables in place of `${NAME}` in `env`, `headers` and `client_credentials`. @throws `SourceError` with all
 * missing
 */
export function replaced(server: McpServer, environment: Environment): Given {
  const { unset, ...given } = serverVariables(server, environment);
  const [first] = unset;
  if (first === undefined) return { ...given, tokens: [] };
  throw new SourceError(
    unset.map(({ problem }) => problem),
    { variable: first.variable },
  );
}

/** An error and its causes without secrets, since servers like to quote what they refuse. */
export function withoutSecrets(error: unknown, secrets: string[]): unknown {
  if (!(error instanceof Error)) return error;
  const cause = withoutSecrets(error.cause, secrets);
  const shown = new Error(redact(error.message, secrets), cause === undefined ? {} : { cause });
  shown.name = error.name;
  return shown;
}
