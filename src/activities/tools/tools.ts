import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type {
  CallToolInput,
  CallToolResult,
  ListedTool,
  ListToolsInput,
  ListToolsResult,
  ToolList,
  ToolSource,
  ToolVariant,
} from '../../protocol/tools/tool.ts';
import { SourceError, type Tool, type ToolRegistry } from '../../tools/tool.ts';
import { isQuick } from '../../workflows/agent/permissions.ts';
import { sealOf } from '../authorize.ts';
import { journalled } from '../journalled.ts';
import { refusedTries } from '../own-store.ts';
import { invalid } from '../prepare.ts';
import { createRunTool, type ToolDependencies } from './run-tool.ts';
import { shortened } from '../../workflows/runtime/size.ts';
import { caller, finder, findingTools, mostOffered } from '../../tools/mcp/find.ts';
import { nameForModels } from '../../tools/mcp/tool-list.ts';

/**
 * Runs a tool once. Whatever it does is a result; that the worker lacks a variable is not. A retry finds the result in
 * the journal, else runs the tool again with the same idempotency key, unless it must take effect only once.
 * @throws `ApplicationFailure` of type `MissingKey`; `CancelledFailure` at once, even if the tool goes on
 */
export function createCallTool(given: ToolDependencies) {
  const { store } = given;
  const run = createRunTool(given);
  return async function callTool(input: CallToolInput): Promise<CallToolResult> {
    const { info } = Context.current();
    const mayHaveRun = info.attempt - 1 > refusedTries(info) && input.tool.sideEffects === 'once';
    return journalled(store, input, async (key) => (mayHaveRun ? leftOpen(input) : run(input, input.tried ?? key)));
  };
}

function leftOpen({ tool }: CallToolInput): CallToolResult {
  const text =
    `the worker died while ${tool.name} ran: it may or may not have taken effect. ` +
    'It was not run again; find out before you call it once more';
  return { status: 'exception', text };
}

/** It reads on in long results, which these packages may have. */
const reader = 'builtin.results';
const longWinded = ['builtin.files', 'builtin.python', 'builtin.command', 'builtin.command.local'];

/**
 * Stores the tools that a model is offered. An agent with a source whose results may be too long gets `read_result`
 * besides: an MCP server, and some built-in packages. Who wrote tools of their own knows how long results are, and can
 * name `builtin.results`.
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, which names everything that is wrong
 */
export function createListTools({ store, tools }: Pick<ToolDependencies, 'store' | 'tools'>) {
  return async function listTools({
    goesOn,
    sources,
    own,
    readOnly,
    others = [],
  }: ListToolsInput): Promise<ListToolsResult> {
    const { mcpServers, packages, seals } = sources;
    // Each tool takes the seal of its package along, for when it is called.
    const sourceOf = (name: string): ToolSource => ({ package: name, ...sealOf(name, seals) });
    const all: ToolSource[] = [...packages.map(sourceOf), ...mcpServers.map((mcp) => ({ mcp }))];
    const loaded = await Promise.all(all.map((source) => load(tools, source)));
    const found = distinct(
      loaded.flatMap(({ source, tools }) => tools.map((tool) => ({ source, tool }))),
      own.map(({ name }) => name),
    );
    const names = [
      ...own.map(({ name }) => ({ name, from: "the agent's own tools" })),
      ...found.map(({ source, tool }) => ({ name: tool.spec.name, from: nameOf(source) })),
    ];
    const problems = [...loaded.flatMap((each) => each.problems), ...clashes(names)];
    if (problems.length > 0) throw goesOn ? ApplicationFailure.retryable(problems.join('\n')) : invalid(problems);
    const listOf = async (variant: ToolVariant): Promise<ToolList> => {
      const offerable = found.filter(({ tool }) => !variant.readOnly || isReadOnly(tool));
      const added = offerable.some(({ source }) => mayBeLong(source)) && !packages.includes(reader);
      const reading = added ? await load(tools, { package: reader }) : undefined;
      const missing = reading?.tools.filter(({ spec }) => names.every(({ name }) => name !== spec.name)) ?? [];
      const offered: SourcedTool[] = [...offerable, ...missing.map((tool) => ({ source: { package: reader }, tool }))];
      const readsOn = packages.includes(reader) || missing.length > 0;
      const more = readsOn && { readsOn: true as const };
      const listed = offered.map(
        ({ original, source, tool: { spec, sideEffects, timeout, workspace } }): ListedTool => ({
          name: spec.name,
          ...(original !== undefined && { original }),
          source,
          sideEffects,
          timeout,
          ...more,
          ...(workspace !== undefined && { workspace }),
        }),
      );
      const ofServers = offered.filter(({ source }) => 'mcp' in source).map(({ tool }) => tool.spec);
      const isMuch = JSON.stringify(ofServers).length > mostOffered;
      const finding = isMuch ? findingTools(ofServers) : [];
      if (isMuch) {
        const finds = await store.putBlob(JSON.stringify(ofServers));
        const source = { package: 'builtin.find' };
        listed.push({ name: finder, finds, source, sideEffects: 'none', timeout: 60, ...more });
      }
      const quick = listed.filter(isQuick);
      const specs = offered.map(({ source, tool: { spec } }) =>
        isMuch && 'mcp' in source ? { ...spec, isSearched: true as const } : spec,
      );
      return {
        set: await store.putBlob(JSON.stringify([...variant.own, ...specs, ...finding])),
        ...(quick.length > 0 && { quick: await store.putBlob(JSON.stringify(quick)) }),
        tools: listed,
        descriptions: offered.map(({ tool: { spec } }) => inOneLine(spec.description)),
        parameters: Object.fromEntries(
          offered.flatMap(({ tool: { sideEffects, spec, workspace } }) =>
            sideEffects === 'none' || workspace !== undefined ? [] : [[spec.name, spec.parameters]],
          ),
        ),
      };
    };
    const first = await listOf({ own, readOnly });
    return others.length === 0 ? first : { ...first, others: await Promise.all(others.map(listOf)) };
  };
}

interface SourcedTool {
  source: ToolSource;
  tool: Tool;
  original?: string;
}

/** With a server's name in front where others have it too. @param own of the workflow's own tools */
function distinct(found: SourcedTool[], own: string[]): SourcedTool[] {
  const names = [...own, finder, caller, ...found.map(({ tool }) => tool.spec.name)];
  return found.map(({ source, tool }) => {
    const { name } = tool.spec;
    if (!('mcp' in source) || names.filter((each) => each === name).length === 1) return { source, tool };
    const longer = nameForModels(`${source.mcp.name}_${name}`);
    return { source, original: name, tool: { ...tool, spec: { ...tool.spec, name: longer } } };
  });
}

const describedIn = 200;

const inOneLine = (description: string): string => shortened(description.replace(/\s+/g, ' ').trim(), describedIn);

const mayBeLong = (source: ToolSource): boolean => 'mcp' in source || longWinded.includes(source.package);

const isReadOnly = ({ onlyReads = false, sideEffects }: Tool): boolean => sideEffects === 'none' || onlyReads;

const nameOf = (source: ToolSource): string => ('mcp' in source ? `the MCP server ${source.mcp.name}` : source.package);

async function load(tools: ToolRegistry, source: ToolSource) {
  try {
    return { source, tools: await tools.tools(source), problems: [] };
  } catch (error) {
    if (error instanceof SourceError) return { source, tools: [], problems: error.problems };
    throw error;
  }
}

/** A model can tell tools apart only by their names. */
function clashes(names: Array<{ name: string; from: string }>): string[] {
  const shared = [...Map.groupBy(names, ({ name }) => name)].filter(([, of]) => of.length > 1);
  return shared.map(([name, of]) => {
    const from = of.map((each) => each.from).join(' and ');
    return `${name}: ${of.length} tools have this name, from ${from}; one may`;
  });
}
