import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import proto from '@temporalio/proto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { connect, type Reprise } from '../src/client.ts';
import { freePort } from '../src/local/ports.ts';
import { startServer } from '../src/local/server.ts';
import { findTemporalCli } from '../src/local/temporal-cli.ts';
import { createWorker } from '../src/worker.ts';
import { quietRuntime } from '../src/worker/quiet-runtime.ts';
import { startModelServer, type ModelServer, type Script } from '../test/support/model-server.ts';

/** Where figures are taken: an embedded server on a file, Reprise's worker beside a bare one, a scripted model. */
export interface Stage {
  reprise: Reprise;
  model: ModelServer;
  address: string;
  home: string;
  /** The environment of workers that reach the model. */
  variables: NodeJS.ProcessEnv;
  /** Starts a bare workflow of `workflows.ts` and waits for its result. */
  bare(type: string, args: unknown[]): Promise<unknown>;
  /** How many events the history of a run has, and how many bytes. */
  historyOf(id: string): Promise<HistorySize>;
  /** Has another worker of Reprise take over, which knows no run yet. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface HistorySize {
  events: number;
  bytes: number;
}

/** An embedded server on a file, in a folder of its own that goes with it. */
export async function openServer() {
  const home = mkdtempSync(join(tmpdir(), 'reprise-bench-'));
  const server = await startServer({
    cli: await findTemporalCli(console.error),
    port: await freePort(),
    database: join(home, 'temporal.db'),
    log: join(home, 'temporal.log'),
  });
  return {
    home,
    address: server.address,
    pid: server.process.pid,
    async close(): Promise<void> {
      server.process.kill();
      await once(server.process, 'exit');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/**
 * @param onWait told of each moment in which a bare activity begins and ends
 * @param more of the workers' environment, besides what leads to the model
 */
export async function openStage(
  script: Script,
  onWait: (what: 'begin' | 'end') => void = () => {},
  more: NodeJS.ProcessEnv = {},
): Promise<Stage> {
  quietRuntime();
  const server = await openServer();
  const { address, home } = server;
  const connection = await NativeConnection.connect({ address });
  const model = await startModelServer(script);
  const variables = {
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: model.openai,
    ANTHROPIC_API_KEY: 'bench',
    ANTHROPIC_BASE_URL: model.anthropic,
    ...more,
  };
  const startWorker = async (): Promise<{ worker: Worker; ended: Promise<void> }> => {
    const worker = await createWorker({ connection, namespace: 'default', home, configFolder: home, variables });
    return { worker, ended: worker.run() };
  };
  const bare = await Worker.create({
    connection,
    taskQueue: 'floor',
    workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
    activities: {
      async wait(milliseconds: number) {
        onWait('begin');
        await pause(milliseconds);
        onWait('end');
      },
    },
    // As many as Reprise's worker: by default there are half as many, and many runs at once would wait for each other.
    maxConcurrentActivityTaskExecutions: 200,
    maxConcurrentWorkflowTaskExecutions: 40,
  });
  const reprise = await connect({ address, home });
  const bareEnded = bare.run();
  let own = await startWorker();
  let count = 0;
  return {
    reprise,
    model,
    address,
    home,
    variables,
    bare: (type, args) =>
      reprise.client.workflow.execute(type, { taskQueue: 'floor', workflowId: `${type}-${++count}`, args }),
    async historyOf(id) {
      const history = await reprise.client.workflow.getHandle(id).fetchHistory();
      const bytes = proto.temporal.api.history.v1.History.encode(history).finish().length;
      return { events: history.events?.length ?? 0, bytes };
    },
    async restart() {
      own.worker.shutdown();
      await own.ended;
      own = await startWorker();
    },
    async close() {
      own.worker.shutdown();
      bare.shutdown();
      await Promise.all([own.ended, bareEnded]);
      await Promise.all([reprise.close(), connection.close(), model.close()]);
      await server.close();
    },
  };
}

export const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;

/** How long some work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** What a bare workflow took and what Reprise took, in milliseconds. */
interface Pair {
  bare: number;
  own: number;
}

/** Measures both in turn, after a round that warms both up. @returns the median of what is picked of each pair */
export async function pairsOf(rounds: number, bare: () => Promise<number>, own: () => Promise<number>) {
  const pairs: Pair[] = [];
  for (let round = 0; round <= rounds; round++) {
    const pair = { bare: await bare(), own: await own() };
    if (round > 0) pairs.push(pair);
  }
  return (pick: (pair: Pair) => number): number => median(pairs.map(pick));
}

/** Everything that a model was told, with what its tools are. */
export const promptCharacters = ({ requests }: ModelServer): number =>
  requests.reduce((sum, { prompt, body }) => sum + prompt.length + JSON.stringify(body.tools ?? []).length, 0);
