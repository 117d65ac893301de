import type { Environment } from '../../util/environment.ts';
import { withVariables, type Replaced } from '../../config/variables.ts';
import { redact } from '../../util/text/redact.ts';
import { SourceError } from '../tool.ts';
import type { McpServer } from '../../protocol/settings.ts';

/** What a server is started or connected to with. */
export interface Given extends Replaced {
  /** The secret of its `client_credentials`, if it has any. */
  clientSecret?: string;
}

/**
 * Puts the worker's variables in place of `${NAME}` in a server's `env` or `headers`, and in its `client_credentials`.
 *
 * @throws `SourceError` with every variable that is not set
 */
export function replaced(server: McpServer, environment: Environment): Given {
  const [key, texts = {}] = 'url' in server ? (['headers', server.headers] as const) : (['env', server.env] as const);
  const given = withVariables(texts, environment);
  const login = 'url' in server ? server.client_credentials : undefined;
  const secret = withVariables(login === undefined ? {} : { client_secret: login.client_secret }, environment);
  const missing = [
    ...given.missing.map((each) => ({ ...each, key })),
    ...secret.missing.map((each) => ({ ...each, key: 'client_credentials' })),
  ];
  if (missing.length === 0) {
    const { client_secret: clientSecret } = secret.values;
    const secrets = [...given.secrets, ...secret.secrets];
    return { ...given, secrets, ...(clientSecret !== undefined && { clientSecret }) };
  }
  const problems = missing.map(
    ({ key, name, variable }) =>
      `the MCP server ${server.name}: ${key}.${name} needs ${variable}, which is not set in the worker's environment`,
  );
  throw new SourceError(problems, { variable: missing[0]?.variable });
}

/** An error and its causes without secrets, since servers like to quote what they refuse. */
export function withoutSecrets(error: unknown, secrets: string[]): unknown {
  if (!(error instanceof Error)) return error;
  const cause = withoutSecrets(error.cause, secrets);
  const shown = new Error(redact(error.message, secrets), cause === undefined ? {} : { cause });
  shown.name = error.name;
  return shown;
}
