import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { Backend } from '../config/backend.ts';
import type { Message, ToolCall, ToolSpec } from '../protocol/message.ts';
import type { CallModelInput, CallModelResult, ModelProgress, Reply, ReplyCall } from '../protocol/model-call.ts';
import type { Model, ModelResponse } from '../models/model.ts';
import { estimateUsage } from '../models/estimate.ts';
import { hashOf } from '../store/ids.ts';
import type { Store } from '../store/store.ts';
import { loadImages, resolveMessages } from './resolve.ts';
import { plainConversation, writingNow } from '../workflows/ask-others/prompts.ts';

/** The longest reply, in characters. Replies are part of the history, in which a payload over 2 MB fails its task. */
const maxCharacters = 1_000_000;

export interface CallModelDependencies {
  store: Store;
  openModel: (backend: Backend) => Model;
}

/**
 * The activity `callModel` makes one request to a model, and pays for it once.
 *
 * The reply is journalled under run id and activity id, in one transaction with its segment and before the activity
 * completes: a retry finds it there and does not call again. The reply is streamed. A heartbeat carries `ModelProgress`
 * every 500 ms, and cancellation takes effect within that time.
 *
 * @throws `ApplicationFailure` of the types in `models/failures.ts`; `CancelledFailure`
 */
export function createCallModel({ store, openModel }: CallModelDependencies) {
  const toolSetOf = toolSets(store);

  return async function callModel(input: CallModelInput): Promise<CallModelResult> {
    const context = Context.current();
    const key = journalKey(context.info.workflowExecution?.runId, context.info.activityId);
    const inputHash = hashOf(JSON.stringify(input));
    const journalled = await store.findReply(key, inputHash);
    if (journalled !== undefined) return journalled;

    const earlier = input.transcript === null ? [] : await store.messages(input.transcript.id);
    const append = await resolveMessages(store, input.append);
    const tools = await toolSetOf(input.tools);
    const messages = await messagesFor(store, input, [...earlier, ...append]);
    const images = await loadImages(store, messages);
    const progress = new Progress(context);
    try {
      const response = await openModel(input.backend).complete({
        messages,
        ...(images.size > 0 && { images }),
        tools: tools.specs,
        ...(input.toolChoice !== undefined && { toolChoice: input.toolChoice }),
        signal: context.cancellationSignal,
        onDelta: (delta) => progress.add(delta),
      });
      return await store.commitReply({
        key,
        inputHash,
        parent: input.transcript?.id ?? null,
        messages: [...append, response.message],
        result: { reply: replyOf(response, tools), usage: response.usage },
      });
    } catch (error) {
      if (context.cancellationSignal.aborted) await store.recordSpent(key, estimateUsage(messages, progress));
      throw error;
    } finally {
      progress.stop();
    }
  };
}

async function messagesFor(store: Store, input: CallModelInput, conversation: Message[]): Promise<Message[]> {
  const said = input.shadow === undefined ? conversation : await shadowMessages(conversation, input.shadow);
  if (input.system === undefined) return said;
  return [...(await resolveMessages(store, [{ role: 'system', content: input.system }])), ...said];
}

/** The journal key of a call, the same for all its attempts. A reset run has a new run id, so its calls cost again. */
export function journalKey(runId: string | undefined, activityId: string): string {
  return `${runId}/${activityId}`;
}

function replyOf({ message, finish }: ModelResponse, tools: ToolSet): Reply {
  const calls = message.toolCalls ?? [];
  const size = calls.reduce((sum, call) => sum + call.arguments.length, message.content.length);
  if (size <= maxCharacters) return { content: message.content, calls: calls.map(tools.read), finish };
  const error = `the reply had ${size} characters; at most ${maxCharacters} are taken`;
  return {
    content: message.content.slice(0, maxCharacters),
    calls: calls.map(({ id, name }) => ({ id, name, error })),
    finish: 'length',
  };
}

/** Milliseconds between heartbeats, which the live view reads, and through which alone cancellation arrives. */
const interval = 500;

/** How much of the text in progress a heartbeat carries, in characters. */
const shown = 4000;

/** Sends heartbeats with what a model has written so far, also while the model is silent. */
class Progress {
  /** Characters written so far. */
  characters = 0;
  #text = '';
  readonly #timer: NodeJS.Timeout;

  constructor(context: Context) {
    const progress = (): ModelProgress => ({ partial: this.#text, characters: this.characters });
    this.#timer = setInterval(() => context.heartbeat(progress()), interval);
  }

  add(delta: string): void {
    this.characters += delta.length;
    this.#text = (this.#text + delta).slice(-shown);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** How long to wait for the text in progress, which is worth little: without it the rest of the conversation remains. */
const patienceMs = 2000;

/**
 * The messages for a shadow: its parent's conversation as plain text, what the parent is writing at this moment, and the
 * question, which is the last message.
 */
async function shadowMessages(
  conversation: Message[],
  { writing }: NonNullable<CallModelInput['shadow']>,
): Promise<Message[]> {
  const partial = writing === undefined ? '' : await partialOf(writing);
  return [
    ...plainConversation(conversation.slice(0, -1)),
    ...(partial === '' ? [] : [writingNow(partial)]),
    ...conversation.slice(-1),
  ];
}

/** The text in progress of a call of this run, as the call's last heartbeat carried it; empty when the call is over. */
async function partialOf(activityId: string): Promise<string> {
  const { client, info } = Context.current();
  const { workflowId = '', runId } = info.workflowExecution ?? {};
  const handle = client.workflow.getHandle(workflowId, runId);
  try {
    const { raw } = await client.connection.withDeadline(Date.now() + patienceMs, () => handle.describe());
    const call = raw.pendingActivities?.find((pending) => pending.activityId === activityId);
    const payload = call?.heartbeatDetails?.payloads?.[0];
    if (!payload) return '';
    return client.options.loadedDataConverter.payloadConverter.fromPayload<ModelProgress>(payload).partial;
  } catch {
    return '';
  }
}

/** The tools that a model is offered, with their schemas compiled. */
interface ToolSet {
  specs: ToolSpec[];
  /** Parses and checks a call's arguments. If they do not fit, the result has an error that tells the model why. */
  read: (call: ToolCall) => ReplyCall;
}

const noTools: ToolSet = compile([]);

/** How many compiled tool sets are kept. Runs use few of them, and each many times; the oldest goes first. */
const capacity = 100;

/** @returns a function that loads a tool set by the blob id that `storeBlobs` gave; null stands for no tools */
function toolSets(store: Store): (id: string | null) => Promise<ToolSet> {
  const compiled = new Map<string, ToolSet>();
  return async (id) => {
    if (id === null) return noTools;
    const known = compiled.get(id);
    if (known !== undefined) return known;
    const set = compile(JSON.parse(await store.blob(id)) as ToolSpec[]);
    const [oldest] = compiled.keys();
    if (compiled.size >= capacity && oldest !== undefined) compiled.delete(oldest);
    compiled.set(id, set);
    return set;
  };
}

function compile(specs: ToolSpec[]): ToolSet {
  const schemas = new Map(
    specs.map((spec) => [spec.name, z.fromJSONSchema(spec.parameters as z.core.JSONSchema.JSONSchema)]),
  );
  return { specs, read: (call) => readCall(call, schemas) };
}

function readCall({ id, name, arguments: text }: ToolCall, schemas: Map<string, z.ZodType>): ReplyCall {
  const schema = schemas.get(name);
  if (schema === undefined) {
    const names = [...schemas.keys()].join(', ') || 'none';
    return { id, name, error: `No such tool available: ${name} (Tool ${name} not found; there are: ${names})` };
  }
  let input: unknown;
  try {
    input = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch (error) {
    return { id, name, error: `the arguments of ${name} are not valid JSON: ${(error as Error).message}` };
  }
  const checked = schema.safeParse(input);
  if (checked.success) return { id, name, input: checked.data as Record<string, unknown> };
  const issues = checked.error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  return { id, name, error: `the arguments of ${name} do not fit: ${issues.join('; ')}` };
}
