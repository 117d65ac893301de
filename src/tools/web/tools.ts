import type { Environment } from '../../util/environment.ts';
import type { SearchDependencies } from './search/open-search.ts';
import type { ToolDefinition } from '../definition.ts';
import { isPublic } from './addresses.ts';
import { pageTool } from './page.ts';
import { webSearchTool } from './search.ts';

/** The built-in package `builtin.web`. */
export const webTools = (dependencies: SearchDependencies): ToolDefinition[] => [
  webSearchTool(dependencies),
  pageTool(dependencies.store, isPublic, hostsIn(dependencies.environment)),
];

/** The hosts that `REPRISE_FETCH_HOSTS` names. @throws `Error` for what is no host with its port */
function hostsIn({ REPRISE_FETCH_HOSTS: named = '' }: Environment): Set<string> {
  const hosts = named.split(',').flatMap((each) => each.trim().toLowerCase() || []);
  const wrong = hosts.find((host) => !/^([^\s/:@]+|\[[\da-f:.]+\]):\d{1,5}$/.test(host));
  if (wrong === undefined) return new Set(hosts);
  throw new Error(`REPRISE_FETCH_HOSTS: ${wrong} is no host with its port; an example: wiki.example:80,127.0.0.1:8080`);
}
