import { Context } from '@temporalio/activity';
import type { NewMessage, TokenUsage, TranscriptRef } from '../messages/message.ts';
import { createCallModel, journalKey, type CallModelDependencies } from './call-model.ts';
import { createCallTool, type ToolDependencies } from './call-tool.ts';
import { createListTools } from './list-tools.ts';
import { resolveMessages } from './resolve.ts';
import type { PrepareDependencies } from './prepare-input.ts';
import { createPreparations } from './prepare.ts';

/** How long the cost of a call that was just abandoned is waited for: its worker learns of it with a heartbeat. */
const settlingMs = 1500;
const lookEveryMs = 100;

/** All that workflows ask of the world; a worker is given these. */
export function createActivities(
  dependencies: CallModelDependencies & PrepareDependencies & ToolDependencies,
) {
  const { store } = dependencies;
  return {
    callModel: createCallModel(dependencies),
    callTool: createCallTool(dependencies),
    listTools: createListTools(dependencies),
    ...createPreparations(dependencies),

    /** Stores texts, tool sets among them, and returns their ids in order. */
    async storeBlobs(texts: string[]): Promise<string[]> {
      const ids: string[] = [];
      for (const text of texts) ids.push(await store.putBlob(text));
      return ids;
    },

    /** Stores messages that no call has made, such as a finished turn, behind a conversation. */
    async putMessages(parent: TranscriptRef | null, messages: NewMessage[]): Promise<TranscriptRef> {
      return store.putSegment(parent?.id ?? null, await resolveMessages(store, messages));
    },

    /**
     * What abandoned calls of this run have cost, from the journal or by estimate.
     * Calls that never reached a model, or whose worker died, are left out.
     */
    async settle(activityIds: string[]): Promise<Array<[activityId: string, usage: TokenUsage]>> {
      const { runId } = Context.current().info.workflowExecution ?? {};
      const deadline = Date.now() + settlingMs;
      for (;;) {
        const spent = await store.spent(activityIds.map((id) => journalKey(runId, id)));
        if (spent.size === activityIds.length || Date.now() > deadline) {
          return activityIds.flatMap((id) => {
            const usage = spent.get(journalKey(runId, id));
            return usage === undefined ? [] : [[id, usage] as [string, TokenUsage]];
          });
        }
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      }
    },
  };
}

export type Activities = ReturnType<typeof createActivities>;
