import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { inject } from 'vitest';
import type { OrchestrationInput, OrchestrationResult } from '../../src/protocol/orchestration.ts';
import type { ResearchInput, ResearchResult } from '../../src/protocol/research.ts';
import type { SolveInput, SolveResult } from '../../src/protocol/plan-and-execute.ts';
import type { SessionInput } from '../../src/protocol/session.ts';
import { noOrchestrators } from '../../src/config/extensions.ts';
import { createWorker } from '../../src/worker.ts';
import { quietRuntime } from '../../src/worker/quiet-runtime.ts';
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
  [Symbol.asyncDispose](): Promise<void>;
}

let count = 0;

/**
 * @param variables of the worker's environment, besides keys and addresses of the scripted model
 * @param extensions its folder of configurations and extensions, whose custom orchestrators are bundled too, which
 *   takes seconds; absent: its home
 */
export async function running(
  script: Script,
  variables: NodeJS.ProcessEnv = {},
  extensions?: string,
): Promise<Running> {
  quietRuntime();
  const { address, bundle } = inject('temporal');
  const home = mkdtempSync(join(tmpdir(), 'reprise-home-'));
  const taskQueue = `test-${process.pid}-${++count}`;
  const model = await startModelServer(script);
  const native = await NativeConnection.connect({ address });
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const worker = await createWorker({
    connection: native,
    namespace: 'default',
    home,
    configFolder: extensions ?? home,
    variables: {
      OPENAI_API_KEY: 'test-key-openai',
      OPENAI_BASE_URL: model.openai,
      ANTHROPIC_API_KEY: 'test-key-anthropic',
      ANTHROPIC_BASE_URL: model.anthropic,
      ...variables,
    },
    ...(extensions === undefined && { bundle: { codePath: bundle, orchestrators: noOrchestrators } }),
    taskQueue,
  });
  const ended = worker.run();
  const startType =
    (type: string) =>
    (input: object): Promise<WorkflowHandle> =>
      client.workflow.start(type, { taskQueue, workflowId: `${taskQueue}-${++count}`, args: [input] });
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
    async solve(input) {
      return (await (await startSolve(input)).result()) as SolveResult;
    },
    async research(input) {
      return (await (await startResearch(input)).result()) as ResearchResult;
    },
    async orchestrate(input) {
      return (await (await start(input)).result()) as OrchestrationResult;
    },
    async [Symbol.asyncDispose]() {
      worker.shutdown();
      await ended;
      await Promise.all([connection.close(), native.close(), model.close()]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
