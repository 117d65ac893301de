import { resolve } from 'node:path';
import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import type { DataConverter, Duration, Priority } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { taskQueue } from './client/names.ts';
import { definedIn, readEnvironment } from './util/environment.ts';
import { dataConverterOf } from './encryption/codec.ts';
import { keyVariable, readKeys } from './encryption/keys.ts';
import { Reprise } from './client/reprise.ts';
import { httpRuns } from './client/http/runs.ts';
import { HttpServer } from './client/http/server.ts';
import { Retries, TemporalRuns } from './client/temporal/runs.ts';
import { tracedStarts } from './telemetry/client-interceptor.ts';
import { askedAgain } from './client/asked-again.ts';
import { UnreachableError } from './client/errors.ts';

export { BadKeyError, TamperedError, UnknownKeyError } from './encryption/keys.ts';
export {
  AnswerTooLongError,
  InputTooLargeError,
  MessageRefusedError,
  RequestRefusedError,
  RunExistsError,
  RunNotOpenError,
  SecretInConfigError,
  UnreachableError,
  UnservedError,
} from './client/errors.ts';
export type { InboxQuestion } from './client/inbox.ts';
export type { ListedRun, ListOptions } from './client/list.ts';
export { newRunId, taskQueue } from './client/names.ts';
export { Reprise } from './client/reprise.ts';
export { OrchestrationRun, ResearchRun, Run, SessionRun, SolveRun } from './client/run.ts';
export type { SentMessage, ShownCall } from './client/show/calls.ts';
export type { RunRecord, RunStatus, ShowOptions } from './client/show/show.ts';
export type { RunStep, StepBody } from './client/show/step.ts';
export type { PendingCall, RunSnapshot, TextPiece } from './client/snapshot.ts';
export type { StatsOptions } from './client/stats.ts';
export type {
  Gain,
  OrchestrationStats,
  ResearchStats,
  RestartCounts,
  SolveStats,
  Spent,
  Stats,
} from './client/aggregate.ts';
export type { EventCursor, WatchOptions } from './client/watch.ts';
export type {
  OrchestrationInput,
  ResearchInput,
  RunDescription,
  RunInput,
  SessionInput,
  SolveInput,
  StartOptions,
} from './client/way.ts';
export type { AttachmentInput } from './protocol/attachment.ts';
export type * from './protocol/custom-orchestrator.ts';
export * from './protocol/definitions.ts';
export { failureTypes } from './protocol/errors.ts';
export type { AgentState } from './protocol/agent-state.ts';
export type { RunEvent } from './protocol/events.ts';
export type { ModelProgress } from './protocol/model-call.ts';
export type { EarlierMessage, HumanAnswer, OrchestrationResult, Outcome, Vote } from './protocol/orchestration.ts';
export type { PermissionRule, ToolDecision } from './protocol/tools/permissions.ts';
export type { SolveOutcome, SolveResult, SolveState, SubtaskReport } from './protocol/plan-and-execute.ts';
export type { HumanReply, PendingQuestion } from './protocol/questions.ts';
export type {
  Iteration,
  OperatorDecision,
  Report,
  ResearchOutcome,
  ResearchResult,
  ResearchState,
  RestartKind,
} from './protocol/research.ts';
export type { SessionResult, TurnResult } from './protocol/session.ts';
export type {
  OrchestrationState,
  RestartRequest,
  RunResult,
  SessionState,
  State as RunState,
} from './protocol/state.ts';
export type { Figures, RunLimits, Usage } from './protocol/usage.ts';
export type { AttemptFiles, RunFiles, TreeChanges, TreeSummary } from './protocol/workspace.ts';
export type { ConfigInput } from './config/kinds.ts';
export type { OneAgentConfigInput } from './config/one-agent.ts';
export type { PlanConfigInput } from './config/plan.ts';
export type { ResearchConfigInput } from './config/research.ts';
export type { TeamConfigInput } from './config/team.ts';
export type { ShownByTool } from './tools/tool-images.ts';
export { defineTool, type ToolContext, type ToolDefinition } from './tools/tool.ts';

export interface ConnectOptions {
  /**
   * The address of a server of Reprise (`reprise serve`), such as `https://agents.example`, through which runs are reached where
   * Temporal is not. All other options but `token` are then of no use.
   */
  url?: string;
  /** The token of that server; `REPRISE_TOKEN` when absent. */
  token?: string;
  /** Takes precedence over `TEMPORAL_ADDRESS` and the profile. */
  address?: string;
  namespace?: string;
  /** The task queue on which runs are started; `reprise` when absent. */
  taskQueue?: string;
  /** Whether to ignore the TLS settings and the API key of the environment, which an embedded server does not take. */
  plain?: boolean;
  /**
   * The version of the workers to which runs that are started are pinned (the build id of Temporal's Worker Versioning). When
   * absent, a run goes to the version that is current when it begins.
   */
  buildId?: string;
  /** Keys in place of those of `REPRISE_ENCRYPTION_KEY`, in the same form; an empty text stands for none. */
  encryptionKey?: string;
  /**
   * The folder of the worker that is to trust the runs that are started from here (its `home`): with its secret they are
   * signed where they bring more than anybody may (docs/security.md). `REPRISE_HOME`, else `.reprise`, when absent. Where
   * `DATABASE_URL` names a store that machines share, that store's secret is used.
   */
  home?: string;
  /** The priority of runs that are started, unless they have one of their own; see `StartOptions`. */
  priority?: Priority;
  /** Variables by name in place of `process.env`: those of Temporal, and Reprise's own. */
  variables?: NodeJS.ProcessEnv;
  /** How long the server may take to come up and answer. When absent it has 5 seconds, and must be up. */
  connectTimeout?: Duration;
}

/** The address of Temporal where neither the caller nor the environment names one. */
export const defaultAddress = '127.0.0.1:7233';

/**
 * Connects as the Temporal CLI does: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_PROFILE`,
 * `TEMPORAL_API_KEY`, TLS (https://docs.temporal.io/develop/environment-configuration).
 *
 * @throws `UnreachableError` where no server answers at the address; `BadKeyError`; `RequestRefusedError` for a wrong token
 */
export async function connect(options: ConnectOptions = {}): Promise<Reprise> {
  const { token, url, variables = process.env } = options;
  if (url !== undefined) {
    const server = new HttpServer(url, token ?? variables['REPRISE_TOKEN'] ?? '');
    await server.check();
    return new Reprise(httpRuns(server));
  }
  const dataConverter = encryptingDataConverter(options.encryptionKey ?? variables[keyVariable] ?? '');
  const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: definedIn(variables) });
  const address = options.address || connectionOptions.address || defaultAddress;
  const retries = new Retries();
  const settings: ConnectionOptions = {
    ...(options.plain ? {} : connectionOptions),
    address,
    interceptors: [retries.interceptor],
    connectTimeout: options.connectTimeout ?? '5 seconds',
    // By itself gRPC takes 4 MB, which a page of a history may exceed; how large one is, is the server's to say.
    channelArgs: { 'grpc.max_receive_message_length': -1 },
  };
  const connection = await opened(settings, options.connectTimeout !== undefined).catch((error: unknown) => {
    throw new UnreachableError(address, error);
  });
  const client = new Client({
    connection,
    namespace: options.namespace ?? (namespace || 'default'),
    interceptors: { workflow: [tracedStarts, askedAgain] },
    dataConverter,
  });
  const { buildId, priority } = options;
  const home = resolve(options.home || variables['REPRISE_HOME'] || '.reprise');
  const environment = readEnvironment(variables);
  const where = { taskQueue: options.taskQueue ?? taskQueue, environment, home, buildId, priority };
  const close = async (): Promise<void> => {
    await retries.end();
    await connection.close();
  };
  return new Reprise(new TemporalRuns(client, { close }, where));
}

/** @param isPatient whether a server that is not up yet is waited for */
async function opened(settings: ConnectionOptions, isPatient: boolean): Promise<Connection> {
  if (!isPatient) {
    // Without the SDK's interceptor no request is sent again, so that one to nobody fails at once.
    const probe = Connection.lazy({ ...settings, interceptors: [] });
    try {
      await probe.withDeadline(Date.now() + 5000, () => probe.workflowService.getSystemInfo({}));
    } finally {
      await probe.close();
    }
  }
  const connection = Connection.lazy(settings);
  try {
    await connection.ensureConnected();
    // `ensureConnected` mistakes a server that is not Temporal at all for an old version of it.
    await connection.workflowService.getSystemInfo({});
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * How Reprise encrypts what Temporal keeps, for clients and workers of one's own (`new Client({…, dataConverter })`).
 *
 * @param encryptionKey in the form of `REPRISE_ENCRYPTION_KEY`, which is taken when it is absent
 * @throws `BadKeyError`
 */
export const encryptingDataConverter = (encryptionKey = process.env[keyVariable]): DataConverter =>
  dataConverterOf(readKeys(readEnvironment({ [keyVariable]: encryptionKey })));
