import { Client, Connection } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { Reprise } from './client/reprise.ts';

export type { Place } from './client/chain.ts';
export { AnswerTooLong, NoOpenRun } from './client/failures.ts';
export type { InboxQuestion } from './client/inbox.ts';
export type { Look, PendingCall, RunState } from './client/look.ts';
export { newRunId } from './client/names.ts';
export { OrchestrationRun } from './client/orchestration-run.ts';
export { Reprise } from './client/reprise.ts';
export { ResearchRun } from './client/research-run.ts';
export { Run } from './client/run.ts';
export { SessionRun } from './client/session-run.ts';
export { SolveRun } from './client/solve-run.ts';
export type { StatsOptions } from './client/stats.ts';
export type {
  Gain,
  OrchestrationStats,
  ResearchStats,
  RestartCounts,
  Spent,
  Stats,
} from './client/sum-up.ts';
export type { WatchOptions } from './client/watch.ts';
export type { AttachmentInput } from './protocol/attachment.ts';
export type { HumanReply, PendingQuestion } from './protocol/questions.ts';
export type { RunEvent } from './protocol/events.ts';
export type { OrchestrationInput, OrchestrationResult, Outcome } from './protocol/orchestration.ts';
export type {
  Decision,
  Iteration,
  Report,
  ResearchInput,
  ResearchOutcome,
  ResearchResult,
  ResearchState,
  RestartKind,
} from './protocol/research.ts';
export type { SessionInput, SessionResult, TurnResult } from './protocol/session.ts';
export type {
  SolveInput,
  SolveOutcome,
  SolveResult,
  SolveState,
  SubtaskReport,
} from './protocol/plan-and-execute.ts';
export type { OrchestrationState } from './protocol/state.ts';
export type { PlanConfigInput } from './config/plan.ts';
export type { ResearchConfigInput } from './config/research.ts';
export type { TeamConfigInput } from './config/team.ts';

/** The task queue that Reprise's workers poll. */
export const taskQueue = 'reprise';

export interface ConnectOptions {
  /** Wins over `TEMPORAL_ADDRESS` and the profile. */
  address?: string;
  namespace?: string;
  /** Another queue than `reprise`, for workers of one's own. */
  taskQueue?: string;
  /** Leaves out the environment's TLS and API key, which are not meant for an embedded server. */
  plain?: boolean;
  /** How long the server may take to answer; 5 seconds when absent. */
  connectTimeout?: Duration;
}

/** Where Temporal runs when nobody says. */
export const defaultAddress = '127.0.0.1:7233';

/**
 * Connects as the Temporal CLI does: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_PROFILE`,
 * `TEMPORAL_API_KEY`, TLS (https://docs.temporal.io/develop/environment-configuration).
 *
 * @throws where no Temporal server answers at the address
 */
export async function connect(options: ConnectOptions = {}): Promise<Reprise> {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = options.address || connectionOptions.address || defaultAddress;
  const connection = await Connection.connect({
    ...(options.plain ? {} : connectionOptions),
    address,
    connectTimeout: options.connectTimeout ?? '5 seconds',
  });
  try {
    // `Connection.connect` takes a server that knows no Temporal at all for an old one.
    await connection.workflowService.getSystemInfo({});
  } catch (error) {
    await connection.close();
    throw error;
  }
  const client = new Client({ connection, namespace: options.namespace ?? (namespace || 'default') });
  return new Reprise(client, connection, options.taskQueue ?? taskQueue);
}
