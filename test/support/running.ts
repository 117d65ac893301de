import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { encryptingDataConverter } from '../../src/client.ts';
import { askedAgain } from '../../src/client/asked-again.ts';
import { Retries } from '../../src/client/temporal/runs.ts';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import type { OrchestrationInput, OrchestrationResult } from '../../src/protocol/orchestration.ts';
import type { ResearchInput, ResearchResult } from '../../src/protocol/research.ts';
import type { SolveInput, SolveResult } from '../../src/protocol/plan-and-execute.ts';
import type { SessionInput } from '../../src/protocol/session.ts';
import { noOrchestrators } from '../../src/config/extensions.ts';
import { signed } from '../../src/trust/signature.ts';
import { createWorker } from '../../src/worker.ts';
import { quietRuntime } from '../../src/worker/quiet-runtime.ts';
import { workflowBundle } from '../../src/worker/workflow-bundle.ts';
import { assertReferenced } from './references.ts';
import { assertReplay, recordedOf, replayOptionsOf, runsOf, type Execution } from './replaying.ts';
import { startModelServer, type ModelServer, type Script } from './model-server.ts';

/** Inputs as they come from outside, whose configurations are checked by the worker alone. */
type Unchecked<Input> = Omit<Input, 'config'> & { config?: unknown };

/** A worker with a home of its own on the run's Temporal server, and a scripted model. */
export interface Running {
  client: Client;
  model: ModelServer;
  home: string;
  taskQueue: string;
  /** Starts an orchestration and waits for its result. */
  orchestrate(input: Unchecked<OrchestrationInput>): Promise<OrchestrationResult>;
  start(input: Unchecked<OrchestrationInput>): Promise<WorkflowHandle>;
  startSession(input: Unchecked<SessionInput>): Promise<WorkflowHandle>;
  /** Starts a research run and waits for its result. */
  research(input: Unchecked<ResearchInput>): Promise<ResearchResult>;
  startResearch(input: Unchecked<ResearchInput>): Promise<WorkflowHandle>;
  /** Starts a plan's execution and waits for its result. */
  solve(input: Unchecked<SolveInput>): Promise<SolveResult>;
  startSolve(input: Unchecked<SolveInput>): Promise<WorkflowHandle>;
  /** With what Temporal's client starts a run on it, its input signed. */
  startOptions(
    type: string,
    workflowId: string,
    input: object,
  ): { taskQueue: string; workflowId: string; args: [object] };
  /** Starts a worker with other variables, or on another queue, in place of its own, which ends when its calls under way have. */
  replaceWorker(variables: NodeJS.ProcessEnv, queue?: string): Promise<void>;
  /** Ends its runs that are open, and waits until no activity is under way. */
  idle(): Promise<void>;
  /** Ends it. @throws where one of its runs, as far as it has come, cannot be replayed */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The same where it is not a test's to end. */
export type SharedRunning = Omit<Running, typeof Symbol.asyncDispose>;

let count = 0;

/**
 * @param variables of the worker's environment, besides keys and addresses of the scripted model
 * @param extensions its folder of configurations and extensions, whose custom orchestrators are bundled too, which
 *   takes seconds the first time; absent: its home
 * @param namespace a new one, for who must not meet runs of other tests; absent: the one that all share
 */
export async function running(
  script: Script,
  variables: NodeJS.ProcessEnv = {},
  extensions?: string,
  namespace = 'default',
): Promise<Running> {
  quietRuntime();
  const { address, bundle, home: bundles } = inject('temporal');
  const home = mkdtempSync(join(tmpdir(), 'reprise-home-'));
  const taskQueue = `test-${process.pid}-${++count}`;
  const model = await startModelServer(script);
  const native = await NativeConnection.connect({ address, grpcCompression: { codec: 'none' } });
  // A page of a history may be larger than the 4 MB that gRPC takes by itself.
  const retries = new Retries();
  const connection = await Connection.connect({
    address,
    interceptors: [retries.interceptor],
    channelArgs: { 'grpc.max_receive_message_length': -1 },
  });
  if (namespace !== 'default')
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
  // Other tests have encrypted runs in the same namespace.
  const dataConverter = encryptingDataConverter('');
  const client = new Client({ connection, namespace, dataConverter, interceptors: { workflow: [askedAgain] } });
  const code =
    extensions === undefined
      ? { codePath: bundle, orchestrators: noOrchestrators }
      : await workflowBundle(bundles, extensions);
  const startWorker = async (others: NodeJS.ProcessEnv, queue = taskQueue) => {
    const worker = await createWorker({
      connection: native,
      namespace,
      home,
      configFolder: extensions ?? home,
      variables: {
        OPENAI_API_KEY: 'test-key-openai',
        OPENAI_BASE_URL: model.openai,
        ANTHROPIC_API_KEY: 'test-key-anthropic',
        ANTHROPIC_BASE_URL: model.anthropic,
        ...others,
      },
      bundle: code,
      taskQueue: queue,
    });
    const ended = worker.run();
    // It cannot be ended before. No event tells.
    while (worker.getState() === 'INITIALIZED') await pause(1);
    return { worker, ended };
  };
  let present = await startWorker(variables);
  const stopWorker = (): Promise<void> => {
    present.worker.shutdown();
    return present.ended;
  };
  const started: WorkflowHandle[] = [];
  /** All runs that were started here. Others, which a test's own client has started, the server lists. */
  const begun: Execution[] = [];
  const startOptions: Running['startOptions'] = (workflowType, workflowId, input) => {
    const args: [object] = [signed(input, { namespace, workflowType, workflowId }, home)];
    return { taskQueue, workflowId, args };
  };
  const startType =
    (type: string) =>
    async (input: object): Promise<WorkflowHandle> => {
      const handle = await client.workflow.start(type, startOptions(type, `${taskQueue}-${++count}`, input));
      started.push(handle);
      begun.push({ workflowId: handle.workflowId, runId: handle.firstExecutionRunId });
      return handle;
    };
  const start = startType('orchestration');
  const startResearch = startType('research');
  const startSolve = startType('planAndExecute');
  return {
    client,
    model,
    home,
    taskQueue,
    start,
    startSession: startType('session'),
    startResearch,
    startSolve,
    startOptions,
    async solve(input) {
      return (await (await startSolve(input)).result()) as SolveResult;
    },
    async research(input) {
      return (await (await startResearch(input)).result()) as ResearchResult;
    },
    async orchestrate(input) {
      return (await (await start(input)).result()) as OrchestrationResult;
    },
    async replaceWorker(others, queue) {
      await stopWorker();
      present = await startWorker(others, queue);
    },
    async idle() {
      // Most have ended.
      await Promise.all(started.splice(0).map((handle) => handle.terminate().catch(() => {})));
      // No event tells.
      while (present.worker.getStatus().numInFlightActivities > 0) await pause(10);
    },
    async [Symbol.asyncDispose]() {
      await stopWorker();
      try {
        const runs = [...begun, ...(await runsOf(client, taskQueue))];
        const recorded = await recordedOf(client, runs);
        await assertReplay(replayOptionsOf(present.worker), recorded);
        assertReferenced(home, recorded);
      } finally {
        await retries.end();
        await Promise.all([connection.close(), native.close(), model.close()]);
        rmSync(home, { recursive: true, force: true });
      }
    },
  };
}

/**
 * One worker for all tests of a file, since making one takes long: to be called beside them. What it returns gives a
 * test that worker as if it were its own: with a script, no requests, no log, no reports. Not for concurrent tests.
 *
 * @param variables of the worker's environment
 * @param extensions as of `running`, as is `namespace`
 */
export function sharedRunning(
  variables: () => NodeJS.ProcessEnv = () => ({}),
  extensions?: string,
  namespace?: string,
): (script: Script) => SharedRunning {
  let script: Script;
  let run: Running;
  beforeAll(async () => {
    run = await running((seen) => script(seen), variables(), extensions, namespace);
  });
  // What a test leaves behind would call the next one's model.
  afterEach(() => run.idle());
  afterAll(() => run[Symbol.asyncDispose]());
  return (next) => {
    script = next;
    run.model.requests.length = 0;
    rmSync(join(run.home, 'logs', 'log.txt'), { force: true });
    const store = new DatabaseSync(join(run.home, 'store.sqlite'), { timeout: 5000 });
    store.exec('DELETE FROM reports');
    store.close();
    return run;
  };
}
