import {
  isGrpcServiceError,
  QueryNotRegisteredError,
  ServiceError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import type { PayloadConverter } from '@temporalio/common';
import type { RunEvent } from '../protocol/events.ts';
import type { ModelProgress } from '../protocol/model-call.ts';
import type { State } from '../protocol/state.ts';

/** A call of a model, a tool, a search or a service that is under way. */
export interface PendingCall {
  activityId: string;
  /** Its activity's type. */
  activity: string;
  /** From 1; more than 1: the world failed, and the call is made again. */
  attempt: number;
  /** Why the last try failed. */
  lastFailure?: string;
  /** What the model has written so far; absent before its first heartbeat. */
  progress?: ModelProgress;
}

/** What one look at a run has found. */
export interface RunSnapshot<S extends State = State> {
  /** What has happened since the look before. */
  events: RunEvent[];
  /** The last state that is known; absent until a worker has told one. */
  state: S | undefined;
  calls: PendingCall[];
  /** Why this look was in vain: the server, or a worker to answer queries, is away. The run is not. */
  trouble?: Error;
}

/** The calls that a description of a run tells of. */
export function callsIn({ raw }: WorkflowExecutionDescription, converter: PayloadConverter): PendingCall[] {
  return (raw.pendingActivities ?? []).map(({ activityId, activityType, attempt, lastFailure, heartbeatDetails }) => {
    const payload = heartbeatDetails?.payloads?.[0];
    return {
      activityId: activityId ?? '',
      activity: activityType?.name ?? '',
      attempt: attempt ?? 1,
      ...(lastFailure?.message && { lastFailure: lastFailure.message }),
      ...(payload && { progress: converter.fromPayload<ModelProgress>(payload) }),
    };
  });
}

/** A run that nobody has begun to work on knows no queries yet; all else is the server's or a worker's absence. */
export function isPassing(error: unknown): error is Error {
  if (error instanceof QueryNotRegisteredError) return true;
  if (!(error instanceof ServiceError)) return false;
  return !isGrpcServiceError(error.cause) || !grpcRefusals.has(error.cause.code);
}

/** Whether a request may be made again as it is: the server was away, or nobody has heard the reply. */
export function isLost(error: unknown): boolean {
  return error instanceof ServiceError && isGrpcServiceError(error.cause) && grpcLosses.has(error.cause.code);
}

/** gRPC's CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE. */
const grpcLosses = new Set([1, 2, 4, 13, 14]);

/** gRPC's UNAUTHENTICATED, PERMISSION_DENIED, UNIMPLEMENTED. */
const grpcRefusals = new Set([16, 7, 12]);
