import { ApplicationFailure } from '@temporalio/common';
import type { ListToolsInput, ListToolsResult, ToolSource, ToolSources } from '../protocol/tool.ts';
import { SourceError, type Tool, type ToolRegistry } from '../tools/tool.ts';
import type { ToolDependencies } from './call-tool.ts';
import { INVALID_INPUT } from './prepare-input.ts';

interface Sourced {
  source: ToolSource;
  tools: Tool[];
}

/**
 * The activity `listTools`: loads and checks every source, and stores what a model is offered.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with everything that is wrong
 */
export function createListTools({ store, tools }: ToolDependencies) {
  return async function listTools({
    sources,
    own,
    harmlessOnly = false,
  }: ListToolsInput): Promise<ListToolsResult> {
    const loaded = await Promise.all(sourcesOf(sources).map((source) => load(tools, source)));
    const found = loaded.flatMap(({ problems, ...sourced }) => (problems === undefined ? [sourced] : []));
    const names = [
      ...own.map(({ name }) => ({ name, from: "the agent's own tools" })),
      ...found.flatMap(({ source, tools }) =>
        tools.map(({ spec }) => ({ name: spec.name, from: nameOf(source) })),
      ),
    ];
    const problems = [...loaded.flatMap(({ problems = [] }) => problems), ...clashes(names)];
    if (problems.length > 0) throw ApplicationFailure.nonRetryable(problems.join('\n'), INVALID_INPUT);
    const offered = found.flatMap(({ source, tools }) =>
      tools.filter((tool) => !harmlessOnly || isHarmless(tool)).map((tool) => ({ source, tool })),
    );
    return {
      set: await store.putBlob(JSON.stringify([...own, ...offered.map(({ tool }) => tool.spec)])),
      tools: offered.map(({ source, tool: { spec, sideEffects, timeout } }) => ({
        name: spec.name,
        source,
        sideEffects,
        timeout,
      })),
    };
  };
}

const isHarmless = ({ sideEffects }: Tool): boolean => ['none', 'undeclared'].includes(sideEffects);

const sourcesOf = ({ packages, mcpServers }: ToolSources): ToolSource[] => [
  ...packages.map((name) => ({ package: name })),
  ...mcpServers.map((mcp) => ({ mcp })),
];

const nameOf = (source: ToolSource): string =>
  'mcp' in source ? `the MCP server ${source.mcp.name}` : source.package;

async function load(tools: ToolRegistry, source: ToolSource): Promise<Sourced & { problems?: string[] }> {
  try {
    return { source, tools: await tools.tools(source) };
  } catch (error) {
    if (error instanceof SourceError) return { source, tools: [], problems: error.problems };
    throw error;
  }
}

/** A model tells tools by their names alone. */
function clashes(names: Array<{ name: string; from: string }>): string[] {
  const byName = Map.groupBy(names, ({ name }) => name);
  return [...byName].flatMap(([name, of]) =>
    of.length > 1
      ? [
          `${name}: ${of.length} tools have this name, from ${of.map(({ from }) => from).join(' and ')}; one may`,
        ]
      : [],
  );
}
