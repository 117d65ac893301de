import type { McpServer } from '../../config/backend.ts';
import type { Environment } from '../../config/environment.ts';
import { placeholder } from '../../config/tool-sources.ts';
import { redact } from '../../models/redact.ts';
import { SourceError } from '../tool.ts';

/** A server's `env` or `headers` as it gets them. */
export interface Replaced {
  values: Record<string, string>;
  /** What was put in place of `${NAME}`: texts that must not leave the worker. */
  secrets: string[];
}

/**
 * Puts the worker's variables in place of `${NAME}` in a server's `env` or `headers`.
 *
 * @throws `SourceError` with every variable that is not set
 */
export function replaced(server: McpServer, environment: Environment): Replaced {
  const [key, values = {}] = 'url' in server ? (['headers', server.headers] as const) : (['env', server.env] as const);
  const used = Object.entries(values).flatMap(([name, value]) =>
    [...value.matchAll(placeholder)].map(([, variable = '']) => ({ name, variable })),
  );
  const missing = used.filter(({ variable }) => environment[variable] === undefined);
  if (missing.length > 0) {
    throw new SourceError(
      missing.map(
        ({ name, variable }) =>
          `the MCP server ${server.name}: ${key}.${name} needs ${variable}, which is not set in the worker's environment`,
      ),
    );
  }
  const valueOf = (variable: string): string => environment[variable] ?? '';
  return {
    values: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        value.replace(placeholder, (_, variable: string) => valueOf(variable)),
      ]),
    ),
    secrets: used.map(({ variable }) => valueOf(variable)),
  };
}

/** An error as it may be shown, its cause too: servers like to quote what they refuse. */
export function withoutSecrets(error: unknown, secrets: string[]): unknown {
  if (!(error instanceof Error)) return error;
  const cause = withoutSecrets(error.cause, secrets);
  const shown = new Error(redact(error.message, secrets), cause === undefined ? {} : { cause });
  shown.name = error.name;
  return shown;
}
