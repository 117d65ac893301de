import { howToGetSearch, missingForSearch, serviceOf } from '../search-services.ts';
import { attachmentPackages, fileTools } from '../../protocol/attachment.ts';
import type { ToolSources } from '../../protocol/settings.ts';
import type { Environment } from '../../util/environment.ts';
import type { Role } from '../kind.ts';

const web = 'builtin.web';

/** The packages that every agent gets by `--tools`. */
export const everydayTools: string[] = [web, fileTools, 'builtin.workspace', 'builtin.python'];

/** The packages of a plan's executor whose configuration names no tools. */
export const executorTools: string[] = [web];

export const withEveryday = (packages: string[] = []): string[] => [...new Set([...packages, ...everydayTools])];

/** The tools of an agent with those for the files that come with its run. */
export const withFileTools = (tools: ToolSources, attachments: unknown[]): ToolSources =>
  attachments.length === 0 ? tools : { ...tools, packages: [...new Set([...tools.packages, ...attachmentPackages])] };

/** Tells why `web_search` will not work, if somebody has it. The offline model never calls it. */
export function searchNotices(roles: Role[], environment: Environment): string[] {
  const mayCall = roles.some(({ backend, tools }) => backend.type !== 'offline' && tools?.packages.includes(web));
  if (!mayCall) return [];
  const provider = serviceOf(environment);
  if (provider === undefined) return [`web_search has no search service, and agents are told so: ${howToGetSearch}`];
  const missing = missingForSearch({ provider, max_results: 1 }, environment);
  return missing.map((problem) => `web_search will not work: ${problem.replace(/^search\.provider: /, '')}`);
}
