import { Client } from '@temporalio/client';
import { workflowTypes } from '../protocol/definitions.ts';
import { SetupError } from '../util/environment.ts';
import { isOpenStatus } from '../util/run-status.ts';
import { listed } from './list.ts';

export interface RetainedOptions {
  /** The namespaces whose runs use the store: Temporal's ids, and names. */
  namespaces: ReadonlyMap<string, string>;
  /** The workflows that have stored something: those of other types count if they are among them. */
  known: ReadonlySet<string>;
  /** For how many days ended runs are kept; absent: for as long as Temporal has them. */
  keepDays?: number;
}

/** The workflows with a run that is open or kept, and how many runs there are. */
export interface Retained {
  workflowIds: Set<string>;
  open: number;
  /** Ended runs of these workflows. */
  kept: number;
  /** Ended runs that Temporal still has and that are not kept. */
  past: number;
}

/**
 * Lists the workflows that are kept. All runs of a workflow are kept with one of them: a session continues as new, and a reset
 * goes on from an earlier run.
 *
 * @throws `Error` where one of the namespaces is not on this server: nothing may be removed then
 */
export async function retainedWorkflows(client: Client, options: RetainedOptions): Promise<Retained> {
  const { keepDays = Infinity, known, namespaces } = options;
  const after = Date.now() - keepDays * 86_400_000;
  const workflowIds = new Set<string>();
  const runs: Array<{ workflowId: string; isOpen: boolean }> = [];
  for (const [id, namespace] of namespaces) {
    await assertIsHere(client, id, namespace);
    const { loadedDataConverter: _, ...same } = client.options;
    const there = new Client({ ...same, connection: client.connection, namespace });
    for await (const { closeTime, status, type, workflowId } of listed(there)) {
      if (!workflowTypes.includes(type) && !known.has(workflowId)) continue;
      const isOpen = isOpenStatus(status.name);
      runs.push({ workflowId, isOpen });
      if (isOpen || (closeTime?.getTime() ?? Infinity) >= after) workflowIds.add(workflowId);
    }
  }
  const open = runs.filter(({ isOpen }) => isOpen).length;
  const kept = runs.filter(({ isOpen, workflowId }) => !isOpen && workflowIds.has(workflowId)).length;
  return { workflowIds, open, kept, past: runs.length - open - kept };
}

async function assertIsHere({ workflowService }: Client, id: string, name: string): Promise<void> {
  const found = await workflowService.describeNamespace({ namespace: name }).catch((error: unknown) => error as Error);
  if (!(found instanceof Error) && found.namespaceInfo?.id === id) return;
  const why = found instanceof Error ? found.message : 'the one of this name is another one';
  throw new SetupError(
    `Runs of the namespace ${name} (${id}) use this store too, and it is not on this server (${why}). ` +
      `Name its server with --temporal; if the namespace is gone for good: reprise prune --forget ${id}`,
  );
}
