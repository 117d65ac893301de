import type { Environment } from '../config/environment.ts';
import type { Store } from '../store/store.ts';
import { builtinPackages } from './builtin/index.ts';
import type { AddressRule } from './builtin/web/addresses.ts';
import type { McpServers } from './mcp/servers.ts';
import { ToolModules } from './modules.ts';
import { SourceError, type Tool, type ToolRegistry } from './tool.ts';

interface ToolRegistrySettings {
  /** The extensions folder, which holds the tool modules and the texts for built-ins, and in which MCP commands run. */
  folder: string;
  /** The folder for the logs of MCP servers. */
  logs: string;
  /** Variables that a server's `env` and `headers` may name, and those of the search services. */
  environment: Environment;
  /** The store that has the files of runs, for built-ins. */
  store: Store;
  /** Which addresses pages are fetched from; if absent, those of the public internet. */
  pageRule?: AddressRule;
}

/** All tools that a worker has. No module is loaded and no server started before it is needed. */
export function openToolRegistry(settings: ToolRegistrySettings): ToolRegistry {
  const { folder } = settings;
  const modules = new ToolModules(folder);
  let servers: Promise<McpServers> | undefined;
  const builtins = builtinPackages(settings);

  /** Loads the protocol's library on demand, which takes a good part of a second and most workers never need. */
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
