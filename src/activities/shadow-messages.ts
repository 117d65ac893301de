import { Context } from '@temporalio/activity';
import type { Message } from '../protocol/message.ts';
import type { CallModelInput, ModelProgress } from '../protocol/model-call.ts';
import { plainConversation, writingNow } from '../workflows/ask-others/prompts.ts';

/** What is being written is worth little waiting: without it the shadow has the rest of the conversation. */
const patienceMs = 2000;

/**
 * What a shadow reads: its parent's conversation as plain text, what the parent is writing at this moment,
 * then the question, which is the last message.
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

/** The text in progress of a call of this run, as its last heartbeat carried it; empty when it is over. */
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
