import { Context } from '@temporalio/activity';
import type { ModelProgress } from '../protocol/model-call.ts';
import type {
  CallToolInput,
  CallToolResult,
  ListToolsInput,
  ListToolsResult,
  ToolList,
  ToolSource,
  ToolVariant,
} from '../protocol/tool.ts';
import type { ImageRef } from '../protocol/message.ts';
import type { Environment } from '../config/environment.ts';
import { secretsGiven, secretsOf } from '../trust/worker-secrets.ts';
import { withoutKnown } from '../models/redact.ts';
import { keyMissing } from '../models/failures.ts';
import { hashOf } from '../store/ids.ts';
import type { Store } from '../store/store.ts';
import { cutInMiddle } from '../tools/cut.ts';
import { failureOf, runTool, type Outcome } from '../tools/run-tool.ts';
import { Trees } from '../sandbox/tree.ts';
import { Workspace } from '../sandbox/workspace.ts';
import type { ToolImage } from '../tools/tool-images.ts';
import { SourceError, ToolError, type Tool, type ToolRegistry } from '../tools/tool.ts';
import { argumentReader } from './arguments.ts';
import { refusedTries } from './own-store.ts';
import { note } from '../telemetry/call-notes.ts';
import { journalKey } from './model.ts';
import { cancellable } from './cancellable.ts';
import { invalid } from './prepare.ts';

/** Texts longer than this, in characters, are stored, so that later inputs can refer to them. */
const storedFrom = 400;

/** How many characters of a long text are part of the history. */
const previewed = 8000;

/** How many characters of a text a model gets at most, and how many of the beginning and the end of a longer one. */
const shown = 40_000;
const shownFirst = 30_000;
const shownLast = 8000;

/** How many characters of a text are kept at all. */
const kept = 1_000_000;

export interface ToolDependencies {
  store: Store;
  tools: ToolRegistry;
  environment: Environment;
}

/**
 * The activity `callTool` runs a tool once. Whatever the tool does is a result, even if it throws; that its worker lacks a
 * variable is not, since the run waits for it.
 *
 * The result is journalled under run id and activity id before the activity completes: a retry finds it there. If the
 * journal has none, a retry runs the tool again with the same idempotency key, unless the tool must take effect only
 * once. As a local activity it has no journal and sends no heartbeats.
 *
 * @throws `ApplicationFailure` of type `MissingKey`; `CancelledFailure` at once when it is cancelled, even if the tool goes on
 */
export function createCallTool(given: ToolDependencies) {
  const { store } = given;
  const run = toolRunner(given);
  return async function callTool(input: CallToolInput): Promise<CallToolResult> {
    const { info } = Context.current();
    const key = journalKey(info.workflowExecution?.runId, info.activityId);
    if (info.isLocal) {
      const outcome = await run(input, key);
      return stored(store, input, outcome);
    }

    const inputHash = hashOf(JSON.stringify(input));
    const journalled = await store.findToolResult(key, inputHash);
    if (journalled !== undefined) {
      note({ journalHit: true });
      return journalled;
    }
    const mayHaveRun = info.attempt - 1 > refusedTries(info) && input.tool.sideEffects === 'once';
    const outcome = mayHaveRun ? leftOpen(input) : await run(input, key);
    return cancellable(async () => store.commitToolResult(key, inputHash, await stored(store, input, outcome)));
  };
}

/** The outcome of a tool that had its agent's files. */
type FilesOutcome = Outcome & Pick<CallToolResult, 'tree'>;

function toolRunner({ environment, store, tools }: ToolDependencies) {
  const trees = new Trees(store);
  const secrets = secretsOf(environment);

  /** A tool may return the very variables that it was given, and what it returns goes to models, the store and the history. */
  return async function run(input: CallToolInput, idempotencyKey: string): Promise<FilesOutcome> {
    const { text, ...outcome } = await runAsIs(input, idempotencyKey);
    const { source } = input.tool;
    const given = 'mcp' in source ? secretsGiven(source.mcp, environment) : [];
    return { ...outcome, text: withoutKnown(text, [...secrets, ...given]) };
  };

  async function runAsIs(input: CallToolInput, idempotencyKey: string): Promise<FilesOutcome> {
    const { info, cancellationSignal, cancelled } = Context.current();
    const workflowId = info.workflowExecution?.workflowId ?? '';
    let shown: ModelProgress | undefined;
    const progress = (partial: string, characters: number): void => {
      shown = { partial, characters, attempt: info.attempt, agent: input.agent };
    };
    try {
      return await cancellable(
        async (signal) => {
          const tool = await find(tools, input);
          const args = input.edited ? editedArguments(tool, input) : input.arguments;
          const asking = 'mcp' in input.tool.source ? { asks: input.asks ?? false, input: input.input } : {};
          const given = { workflowId, agentId: input.agent, idempotencyKey, signal, progress, ...asking };
          const { timeout } = input.tool;
          if (tool.workspace === undefined) return runTool(tool, args, given, timeout, cancelled);
          if (input.workspace === undefined)
            throw new ToolError(`${tool.spec.name} needs files, and there are none here`);
          const workspace = await Workspace.open(store, trees, input.workspace, workflowId);
          const outcome = await runTool(tool, args, { ...given, workspace }, timeout, cancelled);
          // What a call that failed has changed is not kept, so that a retry and the agent start from what was there.
          if (outcome.status !== 'ok' || tool.workspace === 'reads') return outcome;
          const tree = await workspace.commit();
          return tree === undefined ? outcome : { ...outcome, tree };
        },
        () => shown,
      );
    } catch (error) {
      if (cancellationSignal.aborted) throw error;
      if (error instanceof SourceError && error.variable !== undefined) throw keyMissing(error.message, error.variable);
      return failureOf(error);
    }
  }
}

async function find(registry: ToolRegistry, { tool: { name, source } }: CallToolInput): Promise<Tool> {
  const tools = await registry.tools(source);
  const tool = tools.find(({ spec }) => spec.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map(({ spec }) => spec.name).join(', ');
  throw new Error(`the tool ${name} is no longer where it came from; there are now: ${names || 'none'}`);
}

/**
 * The arguments that a person has given in place of the model's, which were checked when they came.
 *
 * @throws `ToolError` if they do not fit the tool
 */
function editedArguments(
  { spec }: Tool,
  { arguments: edited, tool: { name } }: CallToolInput,
): Record<string, unknown> {
  const call = { id: 'edited', name, arguments: JSON.stringify(edited) };
  const { reply } = argumentReader([spec])(call, 'tool_calls');
  if ('error' in reply) throw new ToolError(`a person changed the arguments: ${reply.error}`);
  return reply.input;
}

function leftOpen({ tool }: CallToolInput): Outcome {
  const text =
    `the worker died while ${tool.name} ran: it may or may not have taken effect. ` +
    'It was not run again; find out before you call it once more';
  return { status: 'exception', text };
}

/**
 * The result as the history holds it: with its beginning only if it is long. What the model gets is in the store then: the
 * whole, or the beginning and the end of what is too long to be sent again with each further call of the model.
 */
async function stored(
  store: Store,
  { tool, agent }: CallToolInput,
  { images, text, ...outcome }: FilesOutcome,
): Promise<CallToolResult> {
  const rest = { ...outcome, ...(images !== undefined && { images: await storedImages(store, images) }) };
  const whole = cut(text);
  if (whole.length <= storedFrom) return { ...rest, text: whole };
  const blob = await store.putBlob(whole);
  if (whole.length <= previewed) return { ...rest, text: whole, blob };
  const preview = `${beginning(whole, previewed)}\n… [the beginning; ${whole.length} characters in all]`;
  if (whole.length <= shown) return { ...rest, text: preview, blob };
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const id = tool.readsOn ? await store.putResult(workflowId, agent, blob) : undefined;
  const more =
    id === undefined ? '; ask for less' : `; read on with read_result {"id": "${id}", "from": ${shownFirst}}`;
  return { ...rest, text: preview, blob: await store.putBlob(cutInMiddle(whole, shownFirst, shownLast, more)) };
}

async function storedImages(store: Store, images: ToolImage[]): Promise<ImageRef[]> {
  const refs: ImageRef[] = [];
  for (const { data, mediaType } of images) refs.push({ blob: await store.putBlob(data), mediaType });
  return refs;
}

function cut(text: string): string {
  const sound = text.toWellFormed();
  if (sound.length <= kept) return sound;
  return `${beginning(sound, kept)}\n… [cut: ${sound.length} characters, of which ${kept} are kept]`;
}

/** The first characters of a text, without half of a surrogate pair at the end. */
const beginning = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

/** The package whose tool reads on in results that are too long, and the built-in packages whose results may be that. */
const reader = 'builtin.results';
const longWinded = ['builtin.files', 'builtin.python', 'builtin.command', 'builtin.command.local'];

/**
 * The activity `listTools` loads and checks all sources of tools, and stores the tools that a model is offered. An agent that
 * has a source whose results may be too long, which no one can bound beforehand, gets `read_result` besides: an MCP server,
 * and some of the built-in packages. One that has only tools of the user's own gets just these: who wrote them knows how long
 * their results are, and can name `builtin.results` too.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, which names everything that is wrong
 */
export function createListTools({ store, tools }: Pick<ToolDependencies, 'store' | 'tools'>) {
  return async function listTools({
    sources,
    own,
    harmlessOnly,
    others = [],
  }: ListToolsInput): Promise<ListToolsResult> {
    const { mcpServers, packages } = sources;
    const all: ToolSource[] = [...packages.map((name) => ({ package: name })), ...mcpServers.map((mcp) => ({ mcp }))];
    const loaded = await Promise.all(all.map((source) => load(tools, source)));
    const found = loaded.flatMap(({ source, tools }) => tools.map((tool) => ({ source, tool })));
    const names = [
      ...own.map(({ name }) => ({ name, from: "the agent's own tools" })),
      ...found.map(({ source, tool }) => ({ name: tool.spec.name, from: nameOf(source) })),
    ];
    const problems = [...loaded.flatMap((each) => each.problems), ...clashes(names)];
    if (problems.length > 0) throw invalid(problems);
    const listOf = async (variant: ToolVariant): Promise<ToolList> => {
      const harmless = found.filter(({ tool }) => !variant.harmlessOnly || isHarmless(tool));
      const added = harmless.some(({ source }) => mayBeLong(source)) && !packages.includes(reader);
      const reading = added ? await load(tools, { package: reader }) : undefined;
      const missing = reading?.tools.filter(({ spec }) => names.every(({ name }) => name !== spec.name)) ?? [];
      const offered = [...harmless, ...missing.map((tool) => ({ source: { package: reader }, tool }))];
      const readsOn = packages.includes(reader) || missing.length > 0;
      return {
        set: await store.putBlob(JSON.stringify([...variant.own, ...offered.map(({ tool }) => tool.spec)])),
        tools: offered.map(({ source, tool: { spec, sideEffects, timeout, workspace } }) => ({
          name: spec.name,
          source,
          sideEffects,
          timeout,
          ...(readsOn && { readsOn: true }),
          ...(workspace !== undefined && { workspace }),
        })),
        descriptions: offered.map(({ tool: { spec } }) => inOneLine(spec.description)),
      };
    };
    const first = await listOf({ own, harmlessOnly });
    return others.length === 0 ? first : { ...first, others: await Promise.all(others.map(listOf)) };
  };
}

/** How many characters of a tool's description the workflow knows. */
const describedIn = 200;

function inOneLine(description: string): string {
  const line = description.replace(/\s+/g, ' ').trim();
  return line.length <= describedIn ? line : `${beginning(line, describedIn)}…`;
}

const mayBeLong = (source: ToolSource): boolean => 'mcp' in source || longWinded.includes(source.package);

/** A tool that says nothing of its side effects may have any. */
const isHarmless = ({ onlyReads = false, sideEffects }: Tool): boolean => sideEffects === 'none' || onlyReads;

const nameOf = (source: ToolSource): string => ('mcp' in source ? `the MCP server ${source.mcp.name}` : source.package);

async function load(tools: ToolRegistry, source: ToolSource) {
  try {
    return { source, tools: await tools.tools(source), problems: [] };
  } catch (error) {
    if (error instanceof SourceError) return { source, tools: [], problems: error.problems };
    throw error;
  }
}

/** Lists names that several tools have: a model can tell tools apart only by their names. */
function clashes(names: Array<{ name: string; from: string }>): string[] {
  const byName = Map.groupBy(names, ({ name }) => name);
  return [...byName].flatMap(([name, of]) =>
    of.length > 1
      ? [`${name}: ${of.length} tools have this name, from ${of.map(({ from }) => from).join(' and ')}; one may`]
      : [],
  );
}
