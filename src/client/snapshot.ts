import {
  QueryNotRegisteredError,
  QueryRejectedError,
  ServiceError,
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowExecutionStatusName,
} from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import { decodeAll } from '../encryption/codec.ts';
import type { RunEvent } from '../protocol/events.ts';
import type { ModelProgress } from '../protocol/model-call.ts';
import type { State } from '../protocol/state.ts';
import { grpcErrorIn, UnservedError } from './errors.ts';

/** A call of a model, a tool, a search or a service that is in progress. */
export interface PendingCall {
  activityId: string;
  /** The activity type. */
  activity: string;
  /** The number of the attempt, from 1. */
  attempt: number;
  /** Why the attempt before failed; absent at the first. */
  lastFailure?: string;
  /** When a call that has failed is made again, an ISO 8601 time; absent while it is under way. */
  nextTryAt?: string;
  /** Until when it is made again at most, an ISO 8601 time, and how often; absent where there is no such limit. */
  endsAt?: string;
  maxAttempts?: number;
  /** What the model has written so far; absent before the first heartbeat. */
  progress?: ModelProgress;
}

/** What has come of a text that a model, or a tool, is writing. */
export interface TextPiece {
  /** Id of the call that writes. Its pieces together are the text so far. */
  activityId: string;
  /** Configured id. */
  agent: string;
  /** What the text is for, such as `answer`, `vote`, `present` or `reply`; empty for a tool's. */
  purpose: string;
  /** The place of the piece's first character in the whole text; beyond the end of the piece before where something is lost. */
  offset: number;
  text: string;
  /** Whether the call was made again, so that its earlier pieces are void. */
  reset?: true;
}

/** The state of a run at one moment, with the events and texts since the snapshot before. */
export interface RunSnapshot<S extends State = State> {
  events: RunEvent[];
  /** What was written since the snapshot before. What a text comes to in the end is in its event, such as `answer`. */
  texts: TextPiece[];
  /** The last known state; undefined until a worker has answered a query. */
  state: S | undefined;
  calls: PendingCall[];
  /** Why this snapshot has nothing new: the server, or a worker to answer queries, is away. The run itself is not. */
  trouble?: Error;
}

/** What a look at a run has brought, with its run id and its status; undefined where the server did not tell them. */
export interface Look extends Omit<RunSnapshot, 'texts'> {
  runId: string | undefined;
  status: WorkflowExecutionStatusName | undefined;
}

export async function callsIn(
  { raw }: WorkflowExecutionDescription,
  converter: LoadedDataConverter,
): Promise<PendingCall[]> {
  const pending = await decodeAll(raw.pendingActivities ?? [], converter);
  return pending.map(
    ({ activityId, activityType, attempt, maximumAttempts, lastFailure, heartbeatDetails, ...times }) => {
      const payload = heartbeatDetails?.payloads?.[0];
      const nextTryAt = isoOf(times.nextAttemptScheduleTime);
      const endsAt = isoOf(times.expirationTime);
      return {
        activityId: activityId ?? '',
        activity: activityType?.name ?? '',
        attempt: attempt ?? 1,
        ...(lastFailure?.message && { lastFailure: lastFailure.message }),
        ...(nextTryAt !== undefined && { nextTryAt }),
        ...(endsAt !== undefined && { endsAt }),
        ...(maximumAttempts && { maxAttempts: maximumAttempts }),
        ...(payload && { progress: converter.payloadConverter.fromPayload<ModelProgress>(payload) }),
      };
    },
  );
}

const isoOf = (time: Parameters<typeof optionalTsToDate>[0]): string | undefined => {
  const date = optionalTsToDate(time);
  return date === undefined || date.getTime() <= 0 ? undefined : date.toISOString();
};

/**
 * Whether a query may succeed later: the server or a worker is away, or no worker has begun the run, which then knows no
 * queries yet, or it is paused.
 */
export function isPassing(error: unknown): error is Error {
  if ([QueryNotRegisteredError, QueryRejectedError, UnservedError].some((each) => error instanceof each)) return true;
  const cause = grpcErrorIn(error);
  return cause === undefined ? error instanceof ServiceError : !grpcRefusals.has(cause.code);
}

/** What a run's worker says; undefined where none does within so many milliseconds. */
export async function ifAnswered<T>(client: Client, patience: number, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await client.withDeadline(Date.now() + patience, ask);
  } catch (error) {
    if (isPassing(error)) return undefined;
    throw error;
  }
}

/** Whether the same request may be sent again: the server was away, or its reply was lost. */
export const isLost = (error: unknown): boolean =>
  error instanceof ServiceError && grpcLosses.has(grpcErrorIn(error)?.code ?? 0);

/** gRPC's CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE. */
const grpcLosses = new Set([1, 2, 4, 13, 14]);
/** gRPC's UNAUTHENTICATED, PERMISSION_DENIED, UNIMPLEMENTED. */
const grpcRefusals = new Set([16, 7, 12]);
