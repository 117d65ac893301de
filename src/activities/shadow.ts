import { Context } from '@temporalio/activity';
import { decodeAll } from '../encryption/codec.ts';
import type { Message } from '../protocol/message.ts';
import type { CallModelInput, ModelProgress } from '../protocol/model-call.ts';
import { plainConversation, writingNow } from '../workflows/ask-others/prompts.ts';

/** The text in progress is worth little: without it the rest of the conversation remains. */
const timeoutMs = 2000;

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

/** As the call's last heartbeat carried it; empty when the call is over. */
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
