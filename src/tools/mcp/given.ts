import { withVariables, type Replaced } from '../../config/variables.ts';
import type { McpServer } from '../../protocol/settings.ts';
import type { Environment } from '../../util/environment.ts';
import { redact } from '../../util/text/redact.ts';
import { SourceError } from '../tool.ts';

/** What a server is given of the worker's environment. */
export interface Given extends Replaced {
  clientSecret: string | undefined;
  /** What it was logged in with by that. */
  tokens: string[];
}

/**
 * Puts variables in place of `${NAME}` in `env`, `headers` and `client_credentials`. @throws `SourceError` with all
 * missing
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
    const secrets = [...given.secrets, ...secret.secrets];
    return { ...given, secrets, tokens: [], clientSecret: secret.values['client_secret'] };
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
