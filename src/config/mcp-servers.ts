import { z } from 'zod';
import { holdsSecret } from './placeholders.ts';

const name = z.string().min(1);
const texts = z.record(z.string(), z.string());

/**
 * A server of tools over the Model Context Protocol: a command that speaks it over stdio, or an HTTP address.
 * `${NAME}` in a value of `env` or `headers` stands for a variable of the worker's environment until the server is
 * started, so that neither configurations nor histories hold what is in it.
 */
export type McpServer = {
  name: string;
  /** Seconds that one of its tools may run, where a configuration says so. */
  timeout?: number | undefined;
} & (
  | { command: string; args: string[]; env?: Record<string, string> | undefined }
  | { url: string; headers?: Record<string, string> | undefined }
);

/**
 * A server as a file names it; `transport` and a `command` in several words are xaibo's
 * (its documentation, MCPToolProvider).
 */
const writtenSchema = z.strictObject({
  name,
  transport: z.enum(['stdio', 'sse']).optional(),
  command: z.union([name, z.array(name).min(1)], 'a command, or a list of its words').optional(),
  args: z.array(z.string()).optional(),
  env: texts.optional(),
  url: z.url().optional(),
  headers: texts.optional(),
});

type Written = z.output<typeof writtenSchema>;

const writtenOut =
  'looks like a secret, and a configuration is kept with its runs: ' +
  "write ${NAME}, and set the variable NAME in the worker's environment";

const mcpServerSchema = writtenSchema
  .superRefine((server, context) => {
    const problem = problemOf(server);
    if (problem !== undefined) context.addIssue({ code: 'custom', ...problem });
    for (const path of secretsIn(server)) context.addIssue({ code: 'custom', path, message: writtenOut });
  })
  .transform(({ name, command, args = [], env, url = '', headers }): McpServer => {
    const [program, ...words] = [command ?? []].flat();
    if (program === undefined) return { name, url, ...(headers && { headers }) };
    return { name, command: program, args: [...words, ...args], ...(env && { env }) };
  });

/** An agent's servers of tools, each with a name of its own. */
export const mcpServersSchema = z.array(mcpServerSchema).superRefine((servers, context) => {
  servers.forEach((server, index) => {
    if (servers.findIndex((other) => other.name === server.name) === index) return;
    const message = `a second server of the name "${server.name}"`;
    context.addIssue({ code: 'custom', path: [index, 'name'], message });
  });
});

function problemOf(server: Written): { path: string[]; message: string } | undefined {
  const { command, url, transport } = server;
  if ((command === undefined) === (url === undefined))
    return { path: [], message: 'a server has either a command, which is started, or a url' };
  const kind = command === undefined ? 'sse' : 'stdio';
  if (transport !== undefined && transport !== kind)
    return {
      path: ['transport'],
      message: `a server with a ${command === undefined ? 'url' : 'command'} has the transport ${kind}`,
    };
  const foreign = (kind === 'stdio' ? (['headers'] as const) : (['args', 'env'] as const)).find(
    (key) => server[key] !== undefined,
  );
  if (foreign === undefined) return undefined;
  return { path: [foreign], message: `goes with a ${kind === 'stdio' ? 'url' : 'command'}` };
}

/** Keys of values that are secrets. */
const secretsIn = (server: Written): string[][] =>
  (['env', 'headers'] as const).flatMap((key) =>
    Object.entries(server[key] ?? {}).flatMap(([name, value]) => (holdsSecret(value) ? [[key, name]] : [])),
  );
