import { Client, type WorkflowExecutionInfo } from '@temporalio/client';
import { decodeAll, tolerant } from '../encryption/codec.ts';
import { workflowTypes } from '../protocol/definitions.ts';
import type { PendingQuestion } from '../protocol/questions.ts';
import type { State } from '../protocol/state.ts';
import type { Figures } from '../protocol/usage.ts';
import { isOpenStatus, ofTypes, openOnly } from '../util/run-status.ts';
import { firstLine } from './names.ts';
import { beginningOf } from './show/history.ts';
import { askLiveState, questionIn, type RunStatus } from './show/show.ts';

export interface ListOptions {
  /** Open runs alone. */
  open?: boolean;
  /** How many runs are listed at most, the newest ones; 20 when absent. */
  limit?: number;
  /** What the ids of the runs begin with that are listed; absent: anything. */
  prefix?: string;
}

/** A run as `Reprise.list` lists it. */
export interface ListedRun {
  id: string;
  /** The workflow type. */
  workflow: string;
  /** The first line of the task, of at most 200 characters; empty where it is not known. */
  question: string;
  status: RunStatus;
  /** How the run has ended; null while it is open, and if it has no result. */
  outcome: string | null;
  /** ISO 8601 times; `endedAt` is null while the run is open. */
  startedAt: string;
  endedAt: string | null;
  /** What it has cost, so far or in all; null where that is not known. */
  spent: Figures | null;
  /** Whether an open run waits for a person. */
  isWaiting: boolean;
  /** The questions of an open run that wait for a person. */
  waiting: PendingQuestion[];
  /** The state of an open run; null if it has ended, or if no worker has told it in time. */
  state: State | null;
}

/** How long one open run may take to tell its state, and all of them together, in milliseconds. */
const patience = { one: 1500, all: 3000 };

/**
 * What a run is about, and has cost at its end, is in its memo, so that nobody need be asked for runs that have ended. One that
 * no worker has begun yet has none: its input is read instead.
 */
export async function listRuns(
  client: Client,
  { limit = 20, open = false, prefix = '' }: ListOptions,
): Promise<ListedRun[]> {
  const found: WorkflowExecutionInfo[] = [];
  const which = open ? openOnly : `ExecutionStatus != 'ContinuedAsNew'`;
  const begins = prefix === '' ? '' : ` AND WorkflowId STARTS_WITH '${prefix}'`;
  const query = `${ofTypes(workflowTypes)} AND ${which}${begins}`;
  for await (const info of listed(client, query, Math.min(limit, 200))) {
    if (found.length >= limit) break;
    found.push(info);
  }
  const until = Date.now() + patience.all;
  return inParallel(found, (info) => listedRun(client, info, until));
}

/** The runs that Temporal lists; one whose key is not at hand has a memo that says so, and holds up no other. */
export const listed = (client: Client, query?: string, pageSize?: number): AsyncIterable<WorkflowExecutionInfo> =>
  lenient(client).workflow.list({ ...(query !== undefined && { query }), ...(pageSize !== undefined && { pageSize }) });

function lenient({ connection, options }: Client): Client {
  const payloadCodecs = options.loadedDataConverter.payloadCodecs.map(tolerant);
  return new Client({ connection, namespace: options.namespace, dataConverter: { payloadCodecs } });
}

async function listedRun(client: Client, info: WorkflowExecutionInfo, until: number): Promise<ListedRun> {
  const { closeTime, memo = {}, startTime, status, type, workflowId, runId } = info;
  const { RepriseOutcome: outcomes, RepriseWaiting: waits } = info.searchAttributes;
  const isOpen = isOpenStatus(status.name);
  const handle = client.workflow.getHandle(workflowId, runId);
  const time = Math.min(patience.one, until - Date.now());
  const live = isOpen && time > 0 ? await askLiveState(handle, time).catch(() => undefined) : undefined;
  // Its history may be gone by now, or hold what nobody here can read.
  const asked = memo['question'] as string | undefined;
  const question = asked || (await inputQuestion(lenient(client), info).catch(() => ''));
  const { spent } = memo;
  const usage = live?.state.usage ?? (typeof spent === 'object' ? (spent as Figures | null) : undefined);
  return {
    id: workflowId,
    workflow: type,
    question: firstLine(question),
    status: status.name.toLowerCase() as RunStatus,
    outcome: isOpen ? null : ((outcomes?.[0] as string | undefined) ?? null),
    startedAt: startTime.toISOString(),
    endedAt: closeTime?.toISOString() ?? null,
    spent: usage == null ? null : figuresOf(usage),
    isWaiting: waits?.[0] === 'human' || (live?.waiting ?? []).length > 0,
    waiting: live?.waiting ?? [],
    state: live?.state ?? null,
  };
}

/** The task in a run's input, or its summary in the Web UI, which are in the first event of its history. */
export async function inputQuestion(
  client: Client,
  { runId, workflowId }: Pick<WorkflowExecutionInfo, 'runId' | 'workflowId'>,
): Promise<string> {
  const { loadedDataConverter } = client.options;
  const { payloadConverter } = loadedDataConverter;
  const { events } = await beginningOf(client.workflow, { workflowId, runId });
  const [event] = await decodeAll(events ?? [], loadedDataConverter);
  const [input] = event?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const summary = event?.userMetadata?.summary;
  const question = input && questionIn(payloadConverter.fromPayload(input));
  return question ?? (summary ? String(payloadConverter.fromPayload(summary)) : '');
}

function figuresOf({ calls, inputTokens, cachedInputTokens, outputTokens, costUsd }: Figures): Figures {
  return { calls, inputTokens, cachedInputTokens, outputTokens, costUsd };
}

/** Does the same with all items, some at a time. @returns the results in the order of the items */
export async function inParallel<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const places = items.entries();
  const workNext = async (): Promise<void> => {
    for (const [place, item] of places) results[place] = await work(item);
  };
  await Promise.all(Array.from({ length: 32 }, workNext));
  return results;
}
