import { Context } from '@temporalio/activity';
import type { PersistInput } from '../protocol/research.ts';
import { hashOf } from '../store/ids.ts';
import type { Store } from '../store/store.ts';

/** The activity `persistReport`: stores what came of a run. The id follows from the run, so that a retry writes nothing twice. */
export function createPersistReport({ store }: { store: Store }) {
  return async function persistReport(input: PersistInput): Promise<{ reportId: string }> {
    const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
    const id = hashOf(runId).slice(0, 16);
    await store.putReport({ ...input, id, workflowId, createdAt: new Date().toISOString() });
    return { reportId: id };
  };
}
