import { builtinPackages } from '../../src/activities/tools/tool-registry.ts';
import type { Store } from '../../src/store/store.ts';
import type { Tool } from '../../src/tools/tool.ts';
import type { Commands } from '../../src/tools/commands/commands.ts';
import { commandPackages, commandTools } from '../../src/tools/commands/tools.ts';
import { table } from './table.ts';

const intro = `# Every built-in tool

What agents are told of the tools of each package, and the arguments that a tool takes; those with a ? may be left out.
[Tools](../tools.md) explains them.`;

/** No tool is run here. */
const unused = {} as Store;
const commands = { check: async () => {}, hasNetwork: false } as unknown as Commands;

export async function toolsPage(): Promise<string> {
  const builtins = builtinPackages({ folder: '.', store: unused, environment: { SEARXNG_URL: 'http://localhost' } });
  const packages = [...builtins].map(([name, tools]): [string, Tool[]] => [name, tools()]);
  for (const [name, mode] of Object.entries(commandPackages)) packages.push([name, await commandTools(commands, mode)]);
  return `${[intro, ...packages.map(section)].join('\n\n')}\n`;
}

const section = ([name, tools]: [string, Tool[]]): string =>
  `## ${name}\n\n${table(
    ['tool', 'arguments', 'what it is told to do'],
    tools.map(({ spec }) => [`\`${spec.name}\``, argumentsOf(spec.parameters), spec.description]),
  )}`;

const argumentsOf = ({ properties, required = [] }: Tool['spec']['parameters']): string =>
  Object.keys(properties)
    .map((key) => `\`${key}\`${required.includes(key) ? '' : '?'}`)
    .join(', ');
