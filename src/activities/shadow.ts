import { Context } from '@temporalio/activity';
import { decodeAll } from '../encryption/decode.ts';
import type { Message } from '../protocol/message.ts';
import type { CallModelInput, ModelProgress } from '../protocol/model-call.ts';
import { plainConversation, writingNow } from '../workflows/ask-others/prompts.ts';

/** How long to wait for the text in progress, which is worth little: without it the rest of the conversation remains. */
const timeoutMs = 2000;

/**
 * The messages for a shadow: its parent's conversation as plain text, what the parent is writing at this moment, and the
 * question, which is the last message.
 */
export async function shadowMessages(
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
    const described = await client.connection.withDeadline(Date.now() + timeoutMs, () => handle.describe());
    const { loadedDataConverter } = client.options;
    const raw = await decodeAll(described.raw, loadedDataConverter);
    const call = raw.pendingActivities?.find((pending) => pending.activityId === activityId);
    const payload = call?.heartbeatDetails?.payloads?.[0];
    if (!payload) return '';
    return loadedDataConverter.payloadConverter.fromPayload<ModelProgress>(payload).partial;
  } catch {
    return '';
  }
}
