import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { idsIn, type Needed } from '../store/sweep.ts';
import { isOpenStatus } from '../util/run-status.ts';

/** The workflow types whose runs use the store. */
const ownTypes = ['orchestration', 'session', 'research', 'planAndExecute'];

/** The encodings of payloads that can be read here. Anything else is encrypted or compressed. */
const readable = ['json/plain', 'binary/null', 'binary/plain', 'json/protobuf', 'binary/protobuf'];

export interface NeededOptions {
  /** The namespaces whose runs use the store: Temporal's ids, and names. */
  namespaces: ReadonlyMap<string, string>;
  /** The run ids in the store's journal: runs of other workflow types count if they are among them. */
  journalled: ReadonlySet<string>;
  /** For how many days ended runs are kept; absent: for as long as Temporal has them. */
  keepDays?: number;
  /** Is told how many runs were read so far. */
  onRun?: (count: number) => void;
}

/** What the runs that are open, and those that are kept, need of the store. */
export interface NeededByRuns extends Needed {
  open: number;
  kept: number;
  /** Ended runs that Temporal still has and that are not kept. */
  past: number;
}

/**
 * Reads the histories of all runs that are kept, and collects what they name. An ended run of a workflow that is open again is
 * kept however old it is, since a session that has continued as new is shown as one.
 *
 * @throws `Error` where one of the namespaces is not on this server, or where a history cannot be read: nothing may be removed then
 */
export async function neededByRuns(client: Client, options: NeededOptions): Promise<NeededByRuns> {
  const { journalled, keepDays = Infinity, namespaces, onRun = () => {} } = options;
  const needed = { runIds: new Set<string>(), workflowIds: new Set<string>(), ids: new Set<string>() };
  const counts = { open: 0, kept: 0, past: 0 };
  const after = Date.now() - keepDays * 86_400_000;
  for (const [id, namespace] of namespaces) {
    await assertIsHere(client, id, namespace);
    const { loadedDataConverter: _, ...same } = client.options;
    const there = new Client({ ...same, connection: client.connection, namespace });
    const runs = [];
    for await (const { closeTime, runId, status, type, workflowId } of there.workflow.list()) {
      if (ownTypes.includes(type) || journalled.has(runId))
        runs.push({ closeTime, isOpen: isOpenStatus(status.name), runId, workflowId });
    }
    const open = new Set(runs.filter(({ isOpen }) => isOpen).map(({ workflowId }) => workflowId));
    for (const { closeTime, isOpen, runId, workflowId } of runs) {
      const isKept = open.has(workflowId) || (closeTime?.getTime() ?? Infinity) >= after;
      if (!isKept) {
        counts.past += 1;
        continue;
      }
      counts[isOpen ? 'open' : 'kept'] += 1;
      needed.runIds.add(runId);
      needed.workflowIds.add(workflowId);
      for (const named of await idsOf(there, workflowId, runId)) needed.ids.add(named);
      onRun(counts.open + counts.kept);
    }
  }
  return { ...needed, ...counts };
}

async function assertIsHere({ workflowService }: Client, id: string, name: string): Promise<void> {
  const found = await workflowService.describeNamespace({ namespace: name }).catch((error: unknown) => error as Error);
  if (!(found instanceof Error) && found.namespaceInfo?.id === id) return;
  const why = found instanceof Error ? found.message : 'the one of this name is another one';
  throw new Error(
    `Runs of the namespace ${name} (${id}) use this store too, and it is not on this server (${why}). ` +
      `Name its server with --temporal; if the namespace is gone for good: reprise prune --forget ${id}`,
  );
}

/** All ids that a run's history names, wherever in it. */
async function idsOf(client: Client, workflowId: string, runId: string): Promise<Set<string>> {
  const ids = new Set<string>();
  const payloads: Payload[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') for (const id of idsIn(value)) ids.add(id);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
    const { data, metadata } = value as Payload;
    if (
      metadata?.['encoding'] instanceof Uint8Array &&
      (data === null || data === undefined || data instanceof Uint8Array)
    )
      payloads.push(value);
    else for (const each of Object.values(value)) walk(each);
  };
  try {
    walk((await client.workflow.getHandle(workflowId, runId).fetchHistory()).events);
  } catch (error) {
    // Temporal has removed it since it was listed.
    if (error instanceof WorkflowNotFoundError) return ids;
    throw error;
  }
  let opened = payloads;
  for (const codec of client.options.loadedDataConverter.payloadCodecs.toReversed())
    opened = await codec.decode(opened);
  for (const { data, metadata } of opened) {
    const encoding = Buffer.from(metadata?.['encoding'] ?? []).toString();
    if (!readable.includes(encoding))
      throw new Error(
        `The history of ${workflowId} cannot be read (${encoding}), so that nobody knows what it needs: nothing was removed`,
      );
    for (const id of idsIn(Buffer.from(data ?? []).toString('latin1'))) ids.add(id);
  }
  return ids;
}
