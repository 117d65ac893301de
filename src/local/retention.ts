import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import type { NativeConnection } from '@temporalio/worker';
import { grpc, hasCode } from '../worker/deployment.ts';
import { VariableError, type Environment } from '../util/environment.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Some 100 years; Temporal counts in nanoseconds, of which 64 bits hold 292 years. */
const mostDays = 36_500;

/** How many days embedded Temporal keeps closed runs: `REPRISE_RETENTION_DAYS`, else 30. @throws `VariableError` */
export function retentionDays({ REPRISE_RETENTION_DAYS: named = '30' }: Environment): number {
  const days = Number(named);
  if (/^\d+$/.test(named) && days >= 1 && days <= mostDays) return days;
  throw new VariableError(
    `REPRISE_RETENTION_DAYS is "${named}"; it must be a whole number of days, from 1 to ${mostDays}`,
  );
}

export async function ensureNamespace(connection: NativeConnection, namespace: string, days: number): Promise<void> {
  try {
    const workflowExecutionRetentionPeriod = msToTs(days * dayMs);
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  } catch (error) {
    if (!hasCode(error, grpc.alreadyExists)) throw error;
  }
}

/** Has the embedded server keep runs of all its namespaces for so long, those runs that close from now on. */
export async function keepRunsFor(connection: NativeConnection, days: number): Promise<void> {
  const service = connection.workflowService;
  const { namespaces } = await service.listNamespaces({ pageSize: 1000 });
  for (const { config, namespaceInfo } of namespaces) {
    const namespace = namespaceInfo?.name;
    if (!namespace || namespace === 'temporal-system') continue;
    if (tsToMs(config?.workflowExecutionRetentionTtl) === days * dayMs) continue;
    await service.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: msToTs(days * dayMs) } });
  }
}
