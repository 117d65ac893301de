import { msToTs } from '@temporalio/common/lib/time.js';
import type { NativeConnection } from '@temporalio/worker';

/** How long closed runs are kept, as Temporal's development server keeps those of its default namespace. */
const retention = msToTs('1 day');

/** gRPC's ALREADY_EXISTS. */
const alreadyExists = 6;

/** Makes a namespace on our own server, where nobody else would. */
export async function ensureNamespace(connection: NativeConnection, namespace: string): Promise<void> {
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: retention,
    });
  } catch (error) {
    if ((error as { code?: number }).code !== alreadyExists) throw error;
  }
}
