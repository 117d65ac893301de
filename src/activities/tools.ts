import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ToolSources } from '../config/tool-sources.ts';
import type { CallToolInput, CallToolResult, ListToolsInput, ListToolsResult, ToolSource } from '../protocol/tool.ts';
import { hashOf } from '../store/ids.ts';
import type { Store } from '../store/store.ts';
import { failureOf, runTool, type Outcome } from '../tools/run-tool.ts';
import { SourceError, type Tool, type ToolRegistry } from '../tools/tool.ts';
import { journalKey } from './model.ts';
import { cancellable } from './cancellable.ts';
import { INVALID_INPUT } from './prepare.ts';

/** Longer texts are stored, so that what comes after can name them. In characters, like all that follow. */
const storedFrom = 400;

/** How much of a long text stands in the history. */
const previewed = 8000;

/** How much of a text is kept at all. */
const kept = 1_000_000;

export interface ToolDependencies {
  store: Store;
  tools: ToolRegistry;
}

/**
 * The activity `callTool`: one run of one tool. What the tool does is a result, also where it breaks.
 *
 * The result is journalled under run id and activity id before the activity completes: a retry finds it there.
 * Where there is none, a retry runs the tool again with the same key, unless it would take effect twice.
 * As a local activity it has no journal, and sends no heartbeats.
 *
 * @throws `CancelledFailure` at once when it is cancelled, even if the tool goes on
 */
export function createCallTool({ store, tools }: ToolDependencies) {
  return async function callTool(input: CallToolInput): Promise<CallToolResult> {
    const { info } = Context.current();
    const key = journalKey(info.workflowExecution?.runId, info.activityId);
    if (info.isLocal) return stored(store, await run(tools, input, key));

    const inputHash = hashOf(JSON.stringify(input));
    const journalled = await store.findToolResult(key, inputHash);
    if (journalled !== undefined) return journalled;
    const mayHaveRun = info.attempt > 1 && input.tool.sideEffects === 'once';
    const outcome = mayHaveRun ? leftOpen(input) : await run(tools, input, key);
    return store.commitToolResult(key, inputHash, await stored(store, outcome));
  };
}

async function run(tools: ToolRegistry, input: CallToolInput, idempotencyKey: string): Promise<Outcome> {
  const { info, cancellationSignal, cancelled } = Context.current();
  const workflowId = info.workflowExecution?.workflowId ?? '';
  try {
    return await cancellable(async (signal) => {
      const tool = await find(tools, input);
      const given = { workflowId, agentId: input.agent, idempotencyKey, signal };
      return runTool(tool, input.arguments, given, input.tool.timeout, cancelled);
    });
  } catch (error) {
    if (cancellationSignal.aborted) throw error;
    return failureOf(error);
  }
}

async function find(registry: ToolRegistry, { tool: { name, source } }: CallToolInput): Promise<Tool> {
  const tools = await registry.tools(source);
  const tool = tools.find(({ spec }) => spec.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map(({ spec }) => spec.name).join(', ');
  throw new Error(`the tool ${name} is no longer where it came from; there are now: ${names || 'none'}`);
}

function leftOpen({ tool }: CallToolInput): Outcome {
  const text =
    `the worker died while ${tool.name} ran: it may or may not have taken effect. ` +
    'It was not run again; find out before you call it once more';
  return { status: 'exception', text };
}

/** The result as the history holds it, the text itself in the store where it is long. */
async function stored(store: Store, { status, text }: Outcome): Promise<CallToolResult> {
  const whole = cut(text);
  if (whole.length <= storedFrom) return { status, text: whole };
  const blob = await store.putBlob(whole);
  if (whole.length <= previewed) return { status, text: whole, blob };
  const note = `\n… [the beginning; ${whole.length} characters in all]`;
  return { status, text: beginning(whole, previewed) + note, blob };
}

function cut(text: string): string {
  const sound = text.toWellFormed();
  if (sound.length <= kept) return sound;
  return `${beginning(sound, kept)}\n… [cut: ${sound.length} characters, of which ${kept} are kept]`;
}

/** Never ends in half a character. */
const beginning = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

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
  return async function listTools({ sources, own, harmlessOnly = false }: ListToolsInput): Promise<ListToolsResult> {
    const loaded = await Promise.all(sourcesOf(sources).map((source) => load(tools, source)));
    const found = loaded.flatMap(({ problems, ...sourced }) => (problems === undefined ? [sourced] : []));
    const names = [
      ...own.map(({ name }) => ({ name, from: "the agent's own tools" })),
      ...found.flatMap(({ source, tools }) => tools.map(({ spec }) => ({ name: spec.name, from: nameOf(source) }))),
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

const nameOf = (source: ToolSource): string => ('mcp' in source ? `the MCP server ${source.mcp.name}` : source.package);

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
      ? [`${name}: ${of.length} tools have this name, from ${of.map(({ from }) => from).join(' and ')}; one may`]
      : [],
  );
}
