import type { Environment } from '../../util/environment.ts';
import type { Store } from '../../store/store.ts';
import { Commands } from '../../tools/commands/commands.ts';
import { commandPackages, commandTools } from '../../tools/commands/tools.ts';
import { builtinPackages } from './built-in.ts';
import { Logins } from '../../tools/mcp/logins.ts';
import type { McpServers } from '../../tools/mcp/servers.ts';
import { ToolModules } from '../../tools/modules.ts';
import { SourceError, type Tool, type ToolRegistry } from '../../tools/tool.ts';

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
    const names = [...builtins.keys(), ...Object.keys(commandPackages)];
    throw new SourceError([`${name}: no such built-in; there are ${names.join(', ')}`]);
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
