import type { Environment } from '../config/environment.ts';
import type { Store } from '../store/store.ts';
import { builtinPackages } from './builtin/index.ts';
import type { McpServers } from './mcp/servers.ts';
import { ToolModules } from './modules.ts';
import { SourceError, type Tool, type ToolRegistry } from './tool.ts';

export interface ToolRegistrySettings {
  /** The extensions folder: tool modules, the texts that built-ins read, where MCP commands run. */
  folder: string;
  /** Where MCP servers' messages are logged. */
  logs: string;
  /** Variables that a server's `env` and `headers` may name. */
  environment: Environment;
  /** Where built-ins find the files of runs. */
  store: Store;
}

/** All tools that a worker has. Nothing is loaded or started before it is asked for. */
export function openToolRegistry(settings: ToolRegistrySettings): ToolRegistry {
  const { folder, store } = settings;
  const modules = new ToolModules(folder);
  let servers: Promise<McpServers> | undefined;
  const builtins = builtinPackages(folder, store);

  /** The protocol's library takes a good part of a second to load, and most workers never need it. */
  const serversHere = (): Promise<McpServers> =>
    (servers ??= import('./mcp/servers.ts').then((module) => new module.McpServers(settings)));

  async function packaged(name: string): Promise<Tool[]> {
    if (!name.startsWith('builtin.')) return modules.tools(name);
    const tools = builtins.get(name);
    if (tools !== undefined) return tools;
    throw new SourceError([`${name}: no such built-in; there are ${[...builtins.keys()].join(', ')}`]);
  }

  return {
    async tools(source) {
      return 'mcp' in source ? (await serversHere()).tools(source.mcp) : packaged(source.package);
    },
    async close() {
      await (await servers)?.close();
    },
  };
}
