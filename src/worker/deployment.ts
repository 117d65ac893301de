import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionLike } from '@temporalio/client';
import { deploymentName, taskQueue } from '../client/names.ts';
import { livePollers, ownMark, storeMark, workflowTasks } from '../client/pollers.ts';
import { openOnly } from '../util/run-status.ts';

type Service = ConnectionLike['workflowService'];

/** The name under which Temporal lists a worker of this process. @param isOwn whether it is for the runs of one home */
export const workerIdentity = (isOwn: boolean): string => `${process.pid}@${hostname()}${isOwn ? ownMark : ''}`;

/** The name of a worker with that of its store, by which workers that have different ones find one another out. */
export const identityWith = (identity: string, store: string): string => `${identity}${storeMark}${store}`;

/** Whether a server knows Worker Versioning and lets this client use it. */
export async function hasVersioning(service: Service, namespace: string): Promise<boolean> {
  try {
    await service.listWorkerDeployments({ namespace, pageSize: 1 });
    return true;
  } catch (error) {
    if (hasCode(error, ...refusals)) return false;
    throw error;
  }
}

export const grpc = { invalidArgument: 3, notFound: 5, alreadyExists: 6 };

/** gRPC's INVALID_ARGUMENT, PERMISSION_DENIED, FAILED_PRECONDITION and UNIMPLEMENTED. */
const refusals = [3, 7, 9, 12];

export const hasCode = (error: unknown, ...codes: number[]): boolean =>
  codes.includes((error as { code?: number }).code ?? 0);

const askEveryMs = 50;

/** Waits until the server knows a version that polls, since no run can be pinned to it before. */
export async function untilRegistered(
  service: Service,
  namespace: string,
  buildId: string,
  isOver: () => boolean,
): Promise<void> {
  const deploymentVersion = { deploymentName, buildId };
  while (!isOver()) {
    try {
      const { versionTaskQueues } = await service.describeWorkerDeploymentVersion({ namespace, deploymentVersion });
      if (versionTaskQueues?.some(({ name, type }) => name === taskQueue && Number(type) === workflowTasks)) return;
    } catch (error) {
      if (!hasCode(error, grpc.notFound)) throw error;
    }
    await pause(askEveryMs);
  }
}

/** Asks again while the server does not find a version that has registered: its parts hear of it within seconds. */
async function onceKnown<T>(ask: () => Promise<T>): Promise<T> {
  const until = Date.now() + 10_000;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!hasCode(error, grpc.notFound) || Date.now() > until) throw error;
    }
    await pause(askEveryMs);
  }
}

/** Makes a version the one that gets runs which are pinned to none, such as those that the Temporal CLI starts. */
export async function makeCurrent(service: Service, namespace: string, buildId: string): Promise<void> {
  await onceKnown(() =>
    service.setWorkerDeploymentCurrentVersion({
      namespace,
      deploymentName,
      buildId,
      identity: workerIdentity(true),
      ignoreMissingTaskQueues: true,
      allowNoPollers: true,
    }),
  );
}

export async function currentBuild(service: Service, namespace: string): Promise<string | undefined> {
  try {
    const { workerDeploymentInfo } = await service.describeWorkerDeployment({ namespace, deploymentName });
    return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId || undefined;
  } catch (error) {
    if (hasCode(error, grpc.notFound)) return undefined;
    throw error;
  }
}

/** Whether the server has known a version for less long than another one. Both must be known by now. */
export async function isNewer(service: Service, namespace: string, buildId: string, other: string): Promise<boolean> {
  const [one, another] = await Promise.all([buildId, other].map((each) => createdAt(service, namespace, each)));
  return (one ?? 0) > (another ?? 0);
}

/** In seconds since 1970. The list of a deployment's versions would do with one question, but lags behind. */
async function createdAt(service: Service, namespace: string, buildId: string): Promise<number> {
  const deploymentVersion = { deploymentName, buildId };
  const { workerDeploymentVersionInfo: info } = await onceKnown(() =>
    service.describeWorkerDeploymentVersion({ namespace, deploymentVersion }),
  );
  return Number(info?.createTime?.seconds ?? 0) + (info?.createTime?.nanos ?? 0) / 1e9;
}

/** What marks a namespace, in its data, whose runs have workers of their own: commands start none for it. */
export const workersMark = ['reprise.workers', 'elsewhere'] as const;

/** Whether a namespace is marked as one for which commands start no workers, as docker-compose.yml does. */
export async function isMarked(service: Service, namespace: string): Promise<boolean> {
  const { namespaceInfo } = await service.describeNamespace({ namespace });
  return namespaceInfo?.data?.[workersMark[0]] === workersMark[1];
}

export const countOpenRuns = (service: Service, namespace: string, buildId?: string): Promise<number> =>
  countRuns(service, namespace, buildId === undefined ? '' : ` AND ${ofVersion(buildId)}`);

export const countPinnedRuns = (service: Service, namespace: string, buildId: string): Promise<number> =>
  countRuns(service, namespace, ` AND ${ofVersion(buildId)} AND TemporalWorkflowVersioningBehavior = 'Pinned'`);

const ofVersion = (buildId: string): string => `TemporalWorkerDeploymentVersion = '${deploymentName}:${buildId}'`;

async function countRuns(service: Service, namespace: string, more: string): Promise<number> {
  const query = `TaskQueue = '${taskQueue}' AND ${openOnly}${more}`;
  return Number((await service.countWorkflowExecutions({ namespace, query })).count ?? 0);
}

/** The workers that take the same runs with another store, each of which refuses what the others have begun. */
export async function othersWithOtherStores(
  service: Service,
  namespace: string,
  queue: string,
  identity: string,
): Promise<string[]> {
  const [name = '', own] = identity.split(storeMark);
  // Workers for the runs of one home keep to these, whoever else polls.
  if (name.endsWith(ownMark)) return [];
  const pollers = await livePollers(service, namespace, queue);
  const others = pollers.filter(({ isOwn, store }) => !isOwn && store !== undefined && store !== own);
  return [...new Set(others.map((each) => each.identity))];
}
