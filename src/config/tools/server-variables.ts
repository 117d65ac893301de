import { withVariables, type Replaced } from '../variables.ts';
import type { McpServer } from '../../protocol/settings.ts';
import type { Environment } from '../../util/environment.ts';

/** What a server is given of the worker's environment. */
export interface ServerVariables extends Omit<Replaced, 'missing'> {
  clientSecret: string | undefined;
  /** The variables that are not set, each with a sentence that says where it is needed. */
  unset: Array<{ variable: string; problem: string }>;
}

/** Puts variables in place of `${NAME}` in `env`, `headers` and `client_credentials`. */
export function serverVariables(server: McpServer, environment: Environment): ServerVariables {
  const [key, texts = {}] = 'url' in server ? (['headers', server.headers] as const) : (['env', server.env] as const);
  const given = withVariables(texts, environment);
  const login = 'url' in server ? server.client_credentials : undefined;
  const secret = withVariables(login === undefined ? {} : { client_secret: login.client_secret }, environment);
  const places = [
    ...given.missing.map((each) => ({ ...each, key })),
    ...secret.missing.map((each) => ({ ...each, key: 'client_credentials' })),
  ];
  return {
    values: given.values,
    secrets: [...given.secrets, ...secret.secrets],
    clientSecret: secret.values['client_secret'],
    unset: places.map(({ key, name, variable }) => ({
      variable,
      problem: `the MCP server ${server.name}: ${key}.${name} needs ${variable}, which is not set in the worker's environment`,
    })),
  };
}

/** Each once, although several agents may have a server. */
export const unsetForServers = (servers: McpServer[], environment: Environment): string[] => [
  ...new Set(servers.flatMap((server) => serverVariables(server, environment).unset.map(({ problem }) => problem))),
];
