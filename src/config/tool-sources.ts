import { z } from 'zod';
import { isModulePath, modulePath, modulePathPattern, modulePathProblem } from './extensions.ts';
import { didYouMean, unique } from './problems.ts';
import { holdsSecret, writtenOut } from './variables.ts';
import { guarded, safe } from './privileges.ts';
import type { McpServer, ToolSources } from '../protocol/settings.ts';

const day = 24 * 60 * 60;

/** How long one call of a tool may take, in seconds. */
export const toolTime = z.number().positive().max(day);

const dotted = /^[\w-]+(\.[\w-]+)*$/;

/** The tools that Reprise has itself, by the names of their packages. */
export const builtins = 'search files attachments web calculator results python workspace command command.local'
  .split(' ')
  .map((name) => `builtin.${name}`);

export const unknownBuiltin = (name: string): string =>
  `${name}: no such built-in;${didYouMean(name, builtins)} there are ${builtins.join(', ')}`;

const toolPackageSchema = z
  .string()
  .superRefine((name, context) => {
    const unknown = `${JSON.stringify(name)} is no name of a tool module: names joined by dots, as in tools.weather, or a path, as in ./tools/weather.ts`;
    const isUnknownBuiltin = name.startsWith('builtin.') && !builtins.includes(name);
    const message = isModulePath(name)
      ? modulePathProblem(name)
      : (!dotted.test(name) && unknown) || (isUnknownBuiltin && unknownBuiltin(name));
    if (message) context.addIssue({ code: 'custom', message });
  })
  .meta({
    ...guarded('toolPackage'),
    pattern: `^(?:(?!.*\\.(?:ts|mts|js|mjs)$)[\\w-]+(?:\\.[\\w-]+)*|${modulePathPattern})$`,
  })
  .transform((name) => (isModulePath(name) ? modulePath(name) : name));

/** Tool modules, each once, by name or path: `tools.weather` is `./tools/weather.ts` in the extensions folder. */
export const toolPackagesSchema = z.array(toolPackageSchema).transform((names) => [...new Set(names)]);

export const toolPackages =
  'Modules of tools: tools.weather is tools/weather.ts beside this file, builtin.web is one of Reprise.';

export const httpAddress = z.url({ protocol: /^https?$/ });

const name = z.string().min(1);
const texts = z.record(z.string(), z.string());

/** `transport` and a `command` of several words are there since xaibo has them (its documentation, MCPToolProvider). */
const writtenServerSchema = z.strictObject({
  name: name.meta(safe("The server's name; unique.")),
  transport: z
    .enum(['stdio', 'sse'])
    .optional()
    .meta(safe('May be left out: stdio for a command, sse for a url, which is Streamable HTTP.')),
  command: z
    .union([name, z.array(name).min(1)], 'a command, or a list of its words')
    .optional()
    .meta(guarded('command', 'A command that the worker starts, or a list of its words.')),
  args: z.array(z.string()).optional().meta(safe('Further arguments of the command.')),
  env: texts
    .optional()
    .meta(guarded('commandVariables', "Variables of the command; ${NAME} stands for one of the worker's environment.")),
  url: httpAddress.optional().meta(guarded('address', 'An HTTP address, instead of a command.')),
  headers: texts
    .optional()
    .meta(
      guarded('noVariables', "Headers of each request; ${NAME} stands for a variable of the worker's environment."),
    ),
  client_credentials: z
    .strictObject({
      issuer: httpAddress.meta(guarded('address', 'The authorization server, which alone gets the secret.')),
      client_id: z.string().min(1).meta(safe('What the authorization server calls the worker.')),
      client_secret: z
        .string()
        .min(1)
        .meta(guarded('noVariables', "Its secret; ${NAME} stands for a variable of the worker's environment.")),
      scope: z.string().optional().meta(safe('What to ask for; default: what the server names.')),
    })
    .optional()
    .describe('A login of the worker itself, at a server that asks for one and where no person logs in.'),
});

type WrittenServer = z.output<typeof writtenServerSchema>;

const mcpServerSchema = writtenServerSchema
  .superRefine((server, context) => {
    const problem = problemOfServer(server);
    if (problem !== undefined) context.addIssue({ code: 'custom', ...problem });
    for (const path of secretsIn(server)) context.addIssue({ code: 'custom', path, message: writtenOut });
  })
  .transform(({ name, command, args = [], env, url = '', headers, client_credentials }): McpServer => {
    const [program, ...words] = [command ?? []].flat();
    if (program === undefined)
      return { name, url, ...(headers && { headers }), ...(client_credentials && { client_credentials }) };
    return { name, command: program, args: [...words, ...args], ...(env && { env }) };
  });

export const mcpServersSchema = z.array(mcpServerSchema).superRefine(unique('name', 'server'));

function problemOfServer(server: WrittenServer): { path: string[]; message: string } | undefined {
  const { command, url, transport } = server;
  if ((command === undefined) === (url === undefined))
    return { path: [], message: 'a server has either a command, which is started, or a url' };
  const own = command === undefined ? 'url' : 'command';
  const kind = own === 'url' ? 'sse' : 'stdio';
  if (transport !== undefined && transport !== kind)
    return { path: ['transport'], message: `a server with a ${own} has the transport ${kind}` };
  const others = own === 'url' ? (['args', 'env'] as const) : (['headers', 'client_credentials'] as const);
  const foreign = others.find((key) => server[key] !== undefined);
  if (foreign === undefined) return undefined;
  return { path: [foreign], message: `goes with a ${own === 'url' ? 'command' : 'url'}` };
}

/** The paths of values that hold a secret themselves, rather than the name of a variable that holds it. */
const secretsIn = (server: WrittenServer): string[][] => [
  ...(['env', 'headers'] as const).flatMap((key) =>
    Object.entries(server[key] ?? {}).flatMap(([name, value]) => (holdsSecret(value) ? [[key, name]] : [])),
  ),
  ...(isWrittenOut(server) ? [['client_credentials', 'client_secret']] : []),
];

/** Whether the secret of a login stands in the file. It looks like nothing in particular, so only a variable will do. */
const isWrittenOut = ({ client_credentials: login }: WrittenServer): boolean =>
  login !== undefined && !/^\$\{[A-Za-z_]\w*\}$/.test(login.client_secret);

/** Where tools come from, in one line that is empty if there are none. */
export const describeTools = ({ packages, mcpServers }: ToolSources): string =>
  [...packages, ...mcpServers.map(({ name }) => `MCP server ${name}`)].join(', ');
