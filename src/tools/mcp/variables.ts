import type { McpServer } from '../../config/tool-sources.ts';
import type { Environment } from '../../config/environment.ts';
import { withVariables, type Replaced } from '../../config/variables.ts';
import { redact } from '../../models/redact.ts';
import { SourceError } from '../tool.ts';

/**
 * Puts the worker's variables in place of `${NAME}` in a server's `env` or `headers`.
 *
 * @throws `SourceError` with every variable that is not set
 */
export function replaced(server: McpServer, environment: Environment): Replaced {
  const [key, texts = {}] = 'url' in server ? (['headers', server.headers] as const) : (['env', server.env] as const);
  const given = withVariables(texts, environment);
  if (given.missing.length === 0) return given;
  const problems = given.missing.map(
    ({ name, variable }) =>
      `the MCP server ${server.name}: ${key}.${name} needs ${variable}, which is not set in the worker's environment`,
  );
  throw new SourceError(problems, { variable: given.missing[0]?.variable });
}

/** An error and its causes without secrets, since servers like to quote what they refuse. */
export function withoutSecrets(error: unknown, secrets: string[]): unknown {
  if (!(error instanceof Error)) return error;
  const cause = withoutSecrets(error.cause, secrets);
  const shown = new Error(redact(error.message, secrets), cause === undefined ? {} : { cause });
  shown.name = error.name;
  return shown;
}
