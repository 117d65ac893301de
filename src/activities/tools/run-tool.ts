import { Context } from '@temporalio/activity';
import type { Environment } from '../../util/environment.ts';
import { withoutKnown } from '../../util/text/redact.ts';
import type { ImageRef, TokenUsage, ToolSpec } from '../../protocol/message.ts';
import type { ModelProgress } from '../../protocol/model-call.ts';
import type { CallToolInput, CallToolResult } from '../../protocol/tools/tool.ts';
import { Trees } from '../../tools/workspaces/tree.ts';
import { StoredWorkspace } from '../../tools/workspaces/workspace.ts';
import { sumOfUsage, type Store } from '../../store/store.ts';
import { cutInMiddle } from '../../util/text/cut.ts';
import { findTool } from '../../tools/mcp/find.ts';
import { failureOf, runTool, type Outcome } from '../../tools/run-tool.ts';
import type { ToolImage } from '../../tools/tool-images.ts';
import { SourceError, ToolError, type Tool, type ToolRegistry } from '../../tools/tool.ts';
import { secretsGiven, secretsOf } from '../../trust/worker-secrets.ts';
import { argumentReader } from './arguments.ts';
import { cancellable } from '../cancellable.ts';
import { storedFrom } from '../pages.ts';
import { keyMissing } from '../../config/variables.ts';
import { beginningOf } from '../../workflows/runtime/size.ts';

export interface ToolDependencies {
  store: Store;
  tools: ToolRegistry;
  environment: Environment;
}

/** Of a long text in the history, in characters. */
const previewed = 8000;

/** What a model gets, in characters, and of a longer text. */
const maxShownChars = 40_000;
const shownFirst = 30_000;
const shownLast = 8000;

/** Of the output of a running tool, in characters. */
const mostPartial = 4000;

/** Of a text at all, in characters. */
const maxKeptChars = 1_000_000;

type FilesOutcome = Outcome & Pick<CallToolResult, 'tree' | 'usage'>;

/**
 * Whatever the tool does is a result.
 * @param idempotencyKey the same for all tries of one call
 * @throws `ApplicationFailure` of type `MissingKey`; `CancelledFailure`
 */
export type RunTool = (
  input: CallToolInput,
  idempotencyKey: string,
  given?: { signal: AbortSignal },
) => Promise<CallToolResult>;

export function createRunTool({ environment, store, tools }: ToolDependencies): RunTool {
  const trees = new Trees(store);
  const secrets = secretsOf(environment);

  return async (input, idempotencyKey, given) => {
    const spent: TokenUsage[] = [];
    const { text, ...outcome } = await outcomeOf(input, idempotencyKey, spent, given?.signal);
    const { source } = input.tool;
    const known = 'mcp' in source ? secretsGiven(source.mcp, environment) : [];
    // A tool may return the very variables that it was given, and what it returns goes to models, the store and the history.
    const usage = spent.length > 0 && { usage: sumOfUsage(spent) };
    const clean = { ...outcome, ...usage, text: withoutKnown(text, [...secrets, ...known]) };
    return cancellable(async () => stored(store, input, clean));
  };

  async function find({ tool: { finds, name, original = name, source } }: CallToolInput): Promise<Tool> {
    if (finds !== undefined) return findTool(JSON.parse(await store.blob(finds)) as ToolSpec[]);
    const there = await tools.tools(source);
    const tool = there.find(({ spec }) => spec.name === original);
    if (tool !== undefined) return tool;
    const names = there.map(({ spec }) => spec.name).join(', ');
    throw new Error(`the tool ${name} is no longer where it came from; there are now: ${names || 'none'}`);
  }

  async function outcomeOf(input: CallToolInput, idempotencyKey: string, spent: TokenUsage[], until?: AbortSignal) {
    const { info, cancellationSignal, cancelled } = Context.current();
    const workflowId = info.workflowExecution?.workflowId ?? '';
    let shown: ModelProgress | undefined;
    const progress = (partial: string, characters: number): void => {
      shown = { partial, characters, attempt: info.attempt, agent: input.agent };
    };
    try {
      return await cancellable(
        async (cancelling) => {
          const signal = until === undefined ? cancelling : AbortSignal.any([cancelling, until]);
          const tool = await find(input);
          const args = input.edited ? editedArguments(tool, input) : input.arguments;
          const asking = 'mcp' in input.tool.source ? { asks: input.asks ?? false, input: input.input } : {};
          const counted = { progress, spent: (usage: TokenUsage) => void spent.push(usage) };
          const given = { workflowId, agentId: input.agent, idempotencyKey, signal, ...counted, ...asking };
          const { timeout } = input.tool;
          if (tool.workspace === undefined) return runTool(tool, args, given, timeout, cancelled);
          if (input.workspace === undefined)
            throw new ToolError(`${tool.spec.name} needs files, and there are none here`);
          const workspace = await StoredWorkspace.open(store, trees, input.workspace, workflowId);
          const outcome = await runTool(tool, args, { ...given, workspace }, timeout, cancelled);
          // What a call that failed has changed is not kept, so that a retry and the agent start from what was there.
          if (outcome.status !== 'ok' || tool.workspace === 'reads') return outcome;
          const tree = await workspace.commit();
          return tree === undefined ? outcome : { ...outcome, tree };
        },
        () => shown && { ...shown, partial: withoutKnown(shown.partial, secrets).slice(-mostPartial) },
      );
    } catch (error) {
      if (cancellationSignal.aborted) throw error;
      if (error instanceof SourceError && error.variable !== undefined) throw keyMissing(error.message, error.variable);
      return failureOf(error);
    }
  }
}

/** Given in place of the model's. @throws `ToolError` if they do not fit the tool */
function editedArguments({ spec }: Tool, { arguments: edited }: CallToolInput): Record<string, unknown> {
  const call = { id: 'edited', name: spec.name, arguments: JSON.stringify(edited) };
  const { reply } = argumentReader([spec])(call, 'tool_calls');
  if ('error' in reply) throw new ToolError(`a person changed the arguments: ${reply.error}`);
  return reply.input;
}

/**
 * The history has the beginning of a long result. The store has what the model gets: the whole, or the beginning and
 * end of what is too long to be sent with each further call.
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
  const preview = `${beginningOf(whole, previewed)}\n… [the beginning; ${whole.length} characters in all]`;
  if (whole.length <= maxShownChars) return { ...rest, text: preview, blob };
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
  if (sound.length <= maxKeptChars) return sound;
  return `${beginningOf(sound, maxKeptChars)}\n… [cut: ${sound.length} characters, of which ${maxKeptChars} are kept]`;
}
