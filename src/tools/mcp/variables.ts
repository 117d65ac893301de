import type { McpServer } from '../../config/tool-sources.ts';
import type { Environment } from '../../config/environment.ts';
import { placeholder } from '../../config/tool-sources.ts';
import { redact } from '../../models/redact.ts';
import { SourceError } from '../tool.ts';

/** The `env` or `headers` that a server gets. */
export interface Replaced {
  values: Record<string, string>;
  /** The values of variables in them, which must not leave the worker. */
  secrets: string[];
}

/**
 * Puts the worker's variables in place of `${NAME}` in a server's `env` or `headers`.
 *
 * @throws `SourceError` with every variable that is not set
 */
export function replaced(server: McpServer, environment: Environment): Replaced {
  const [key, values = {}] = 'url' in server ? (['headers', server.headers] as const) : (['env', server.env] as const);
  const secrets: string[] = [];
  const missing: string[] = [];
  const given = Object.entries(values).map(([name, value]) => {
    const complete = value.replace(placeholder, (_, variable: string) => {
      const { [variable]: secret } = environment;
      if (secret === undefined) missing.push(`${key}.${name} needs ${variable}`);
      else secrets.push(secret);
      return secret ?? '';
    });
    return [name, complete] as const;
  });
  if (missing.length === 0) return { values: Object.fromEntries(given), secrets };
  const problemOf = (lack: string): string =>
    `the MCP server ${server.name}: ${lack}, which is not set in the worker's environment`;
  throw new SourceError(missing.map(problemOf));
}

/** An error and its causes without secrets, since servers like to quote what they refuse. */
export function withoutSecrets(error: unknown, secrets: string[]): unknown {
  if (!(error instanceof Error)) return error;
  const cause = withoutSecrets(error.cause, secrets);
  const shown = new Error(redact(error.message, secrets), cause === undefined ? {} : { cause });
  shown.name = error.name;
  return shown;
}
