import { Context } from '@temporalio/activity';
import type { Backend } from '../config/backend.ts';
import type { Message } from '../protocol/message.ts';
import type { CallModelInput, CallModelResult, Reply } from '../protocol/model-call.ts';
import type { Model, ModelResponse } from '../models/model.ts';
import { estimateUsage } from '../models/estimate.ts';
import { hashOf } from '../store/ids.ts';
import type { Store } from '../store/store.ts';
import { Progress } from './progress.ts';
import { loadImages, resolveMessages } from './resolve.ts';
import { shadowMessages } from './shadow-messages.ts';
import { toolSets, type ToolSet } from './tool-set.ts';

/** What a reply may hold: it stands in the history, where a payload over 2 MB fails its task. */
const maxCharacters = 1_000_000;

export interface CallModelDependencies {
  store: Store;
  openModel: (backend: Backend) => Model;
}

/**
 * The activity `callModel`: one request to one model, paid for once.
 *
 * The reply is journalled under run id and activity id, in one transaction with its segment and before the activity
 * completes: a retry finds it there and does not call again. Streams, heartbeats `ModelProgress` every 500 ms,
 * and follows cancellation within that time.
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

/** The same for every try of one call; a reset makes a new run id, and pays anew. */
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
