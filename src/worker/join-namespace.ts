import type { NativeConnection } from '@temporalio/worker';
import { isOutOfOrder } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';

/** How long to wait for a store that is out of order, in milliseconds. */
const retryEveryMs = 5000;

/**
 * Writes into the store that runs of a namespace use it, so that `prune` never takes them for gone. Where the store is away it
 * goes on trying beside the worker's own work, and where the server does not tell the namespace's id it says so.
 */
export async function joinNamespace(
  store: Pick<Store, 'joinNamespace'>,
  connection: Pick<NativeConnection, 'workflowService'>,
  namespace: string,
  warn: (text: string) => void,
): Promise<void> {
  try {
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace });
    if (namespaceInfo?.id) await store.joinNamespace(namespaceInfo.id, namespace);
  } catch (error) {
    if (isOutOfOrder(error))
      setTimeout(() => void joinNamespace(store, connection, namespace, warn), retryEveryMs).unref();
    else
      warn(`The store cannot note the namespace ${namespace}, which prune needs to know: ${(error as Error).message}`);
  }
}
