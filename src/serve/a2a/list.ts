import type { ListTasksRequest, ListTasksResponse } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { inParallel, listed } from '../../client/list.ts';
import { contextOf, look, taskId, type Caller } from './task.ts';

/** How many of the newest tasks are listed at most, over all pages. */
const maxTasks = 1000;

/** The tasks that were begun by messages, those that have changed last first. @throws `RequestMalformedError` */
export async function listTasks(caller: Caller, request: ListTasksRequest): Promise<ListTasksResponse> {
  const { contextId, historyLength, pageSize = 50, pageToken, status, statusTimestampAfter: since = '' } = request;
  if (pageSize < 1 || pageSize > 100) throw new RequestMalformedError('pageSize: a whole number from 1 to 100');
  if (since !== '' && Number.isNaN(Date.parse(since)))
    throw new RequestMalformedError('statusTimestampAfter: a time of ISO 8601');
  const beginning = taskId(caller.access, contextId.replaceAll(/[^\w.:-]/g, '?'), 0).slice(
    0,
    contextId === '' ? -2 : -1,
  );
  const query = `WorkflowId STARTS_WITH '${beginning}' AND ExecutionStatus != 'ContinuedAsNew'`;
  const found: Array<{ id: string; changed: string }> = [];
  for await (const { closeTime, startTime, workflowId: id } of listed(caller.served.reprise.client, query)) {
    if (found.length >= maxTasks) break;
    if (contextId !== '' && contextOf(caller.access, id) !== contextId) continue;
    // What goes on has changed last.
    found.push({ id, changed: `${closeTime?.toISOString() ?? 'open'} ${startTime.toISOString()}` });
  }
  found.sort((one, other) => other.changed.localeCompare(one.changed));
  const from = found.findIndex(({ id }) => id === pageToken) + 1;
  // Whoever reads page after page would begin anew, and never end.
  if (pageToken !== '' && from === 0) throw new RequestMalformedError('pageToken: it is of no page of these tasks');
  const page = found.slice(from, from + pageSize);
  const seen = await inParallel(page, async ({ id }) => (await look(caller, id, historyLength)).task);
  const tasks = seen
    .filter(
      ({ status: now }) => [0, now?.state].includes(status) && !(Date.parse(now?.timestamp ?? '') < Date.parse(since)),
    )
    .map((task) => ({ ...task, artifacts: request.includeArtifacts ? task.artifacts : [] }))
    .toSorted((one, other) => (other.status?.timestamp ?? '').localeCompare(one.status?.timestamp ?? ''));
  const nextPageToken = from + pageSize < found.length ? (page.at(-1)?.id ?? '') : '';
  return { tasks, nextPageToken, pageSize, totalSize: found.length };
}
