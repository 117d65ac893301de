import { z } from 'zod';
import type { Environment } from '../../util/environment.ts';
import type { Store } from '../../store/store.ts';
import { Commands } from '../../tools/commands/commands.ts';
import { unknownBuiltin } from '../../config/tool-sources.ts';
import { commandPackages, commandTools } from '../../tools/commands/tools.ts';
import { Logins } from '../../tools/mcp/logins.ts';
import type { McpServers } from '../../tools/mcp/servers.ts';
import { ToolModules } from '../../tools/modules.ts';
import { SourceError, type Tool, type ToolDefinition, ToolError, type ToolRegistry } from '../../tools/tool.ts';
import { readDefinitions } from '../../tools/read-definitions.ts';
import { indexOfFolder } from '../../util/folder-index.ts';
import { queryOf } from '../../util/text/sentence-search.ts';
import { fileTexts } from '../../tools/attachments/run-files.ts';
import { attachmentTools } from '../../tools/attachments/tools.ts';
import { evaluate, ExpressionError, vocabulary } from '../../tools/builtin/expression.ts';
import { fileTool } from '../../tools/builtin/files.ts';
import { pythonTool } from '../../tools/python/tools.ts';
import { resultTool } from '../../tools/builtin/results.ts';
import { webTools } from '../../tools/web/tools.ts';
import { workspaceTools } from '../../tools/workspaces/tools.ts';

interface BuiltinSettings {
  folder: string;
  store: Store;
  environment: Environment;
}

/** Defined as users define theirs. A package is read when it is first asked for. */
export function builtinPackages({ folder, store, environment }: BuiltinSettings): Map<string, () => Tool[]> {
  const packages: Array<[string, ToolDefinition[]]> = [
    ['builtin.search', [searchTool(folder)]],
    ['builtin.files', [fileTool(folder)]],
    ['builtin.attachments', attachmentTools(store)],
    ['builtin.web', webTools({ store, environment })],
    ['builtin.calculator', [calculatorTool]],
    ['builtin.results', [resultTool(store)]],
    ['builtin.python', [pythonTool(environment)]],
    ['builtin.workspace', workspaceTools(fileTexts(store))],
  ];
  return new Map(
    packages.map(([name, definitions]) => {
      let tools: Tool[] | undefined;
      return [name, () => (tools ??= toolsOf(name, definitions))];
    }),
  );
}

/** The web is far and slow, so that no call of it runs within that of a model, but a team that only plans may look into it. */
const toolsOf = (name: string, definitions: ToolDefinition[]): Tool[] =>
  readDefinitions(definitions).tools.map((tool) => (name === 'builtin.web' ? { ...tool, onlyReads: true } : tool));

const searchParameters = z.object({
  query: z.string().min(1).describe('What to look for, in words that the texts may use'),
  max_results: z.int().min(1).max(50).default(8),
});

const searchTool = (folder: string): ToolDefinition => ({
  name: 'search_texts',
  description: 'Searches the text files at hand and returns the sentences that fit best, each with its file and line.',
  parameters: searchParameters,
  sideEffects: false,
  async execute({ query, max_results }: z.output<typeof searchParameters>): Promise<string> {
    const index = await indexOfFolder(folder);
    const hits = (await index.find(queryOf(query))).slice(0, max_results);
    if (hits.length === 0) return 'Nothing was found.';
    return hits
      .map(({ sentence: { source, line, heading, text } }) => {
        const place = heading === '' ? `${source}:${line}` : `${source}:${line} (${heading})`;
        return `${place}: ${text}`;
      })
      .join('\n');
  },
});

const calculatorTool: ToolDefinition = {
  name: 'calculate',
  description:
    'Computes an arithmetic expression and returns the number. It has + - * / ^ % (remainder), parentheses, ' +
    `and ${vocabulary}. Angles are in radians; log is to base 10, ln natural.`,
  parameters: z.object({
    expression: z.string().min(1).max(1000).describe('For example: 3 * (2 + sqrt(16)) ^ 2'),
  }),
  sideEffects: false,
  execute({ expression }: { expression: string }): string {
    try {
      // A double is exact to 15 digits, which make 0.1 + 0.2 the expected 0.3.
      return String(Number(evaluate(expression).toPrecision(15)));
    } catch (error) {
      if (error instanceof ExpressionError) throw new ToolError(error.message);
      throw error;
    }
  },
};

interface ToolRegistrySettings {
  /** The extensions folder, in which MCP commands run too. */
  folder: string;
  /** Of MCP servers; undefined for no logs. */
  logs: string | undefined;
  /** Of logins at MCP servers; absent for none. */
  logins?: string;
  /** With what `env` and `headers` of a server name, and the search services. */
  environment: Environment;
  store: Store;
}

/** No module is loaded and no server started before it is needed. */
export function openToolRegistry(settings: ToolRegistrySettings): ToolRegistry {
  const { folder, logs, environment } = settings;
  const logins = settings.logins === undefined ? undefined : new Logins(settings.logins);
  const modules = new ToolModules(folder);
  let servers: Promise<McpServers> | undefined;
  const builtins = builtinPackages(settings);
  const commands = new Commands(settings.store, environment);

  /** The library takes a good part of a second, and most workers never need it. */
  const serversHere = (): Promise<McpServers> =>
    (servers ??= import('../../tools/mcp/servers.ts').then(
      (module) => new module.McpServers({ folder, logs, environment, logins }),
    ));

  async function packaged(name: string): Promise<Tool[]> {
    if (!name.startsWith('builtin.')) return modules.tools(name);
    const tools = builtins.get(name);
    if (tools !== undefined) return tools();
    const mode = commandPackages[name];
    if (mode !== undefined) return commandTools(commands, mode);
    throw new SourceError([unknownBuiltin(name)]);
  }

  return {
    async tools(source) {
      return 'mcp' in source ? (await serversHere()).tools(source.mcp) : packaged(source.package);
    },
    isLoggedIn: (url) => logins?.has(url) ?? false,
    async close() {
      await commands.close();
      await (await servers)?.close();
    },
  };
}
