import type { WorkflowHandle } from '@temporalio/client';
import { pendingQuestionsQuery, stateQuery } from '../protocol/definitions.ts';
import type { PendingQuestion } from '../protocol/questions.ts';
import type { State } from '../protocol/state.ts';

/** What only a worker knows of an open run. */
export interface LiveState {
  state: State;
  /** What waits for a person. */
  waiting: PendingQuestion[];
}

/** Asks an open run. @returns undefined if no worker answers within so many milliseconds */
export async function askLiveState(handle: WorkflowHandle, patience: number): Promise<LiveState | undefined> {
  if (patience <= 0) return undefined;
  try {
    return await handle.client.connection.withDeadline(Date.now() + patience, async () => {
      const asked = [handle.query(stateQuery), handle.query(pendingQuestionsQuery)] as const;
      // One that is still tried again when the connection is closed would throw where nobody catches it.
      await Promise.allSettled(asked);
      const [state, waiting] = await Promise.all(asked);
      return { state, waiting };
    });
  } catch {
    return undefined;
  }
}
