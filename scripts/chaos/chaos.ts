import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../src/client.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startServer, type RunningServer } from '../../src/embedded/server.ts';
import { clockOf } from './clock.ts';
import { CommitWatch } from './commits.ts';
import { writeConfigs } from './configs.ts';
import { disturb } from './disturb.ts';
import { Load } from './load.ts';
import { databaseDisturbances, disturbances, plannedDisturbances } from './plan.ts';
import { killed, startProvider, WorkerProcess } from './processes.ts';
import { sqliteStore } from './store.ts';
import { isKept, verdictLines, verdictOf, type Verdict } from './verdict.ts';

export interface ChaosSettings {
  minutes: number;
  seed: number;
  runsAtOnce: number;
  workers: number;
  /** Path of the Temporal CLI. */
  cli: string;
  say: (text: string) => void;
  /** Prepares the workers' home, which has no bundle of the workflows yet. */
  prepare?: (home: string) => void;
}

/** How long the runs that are open at the end may take once everything is well again, in milliseconds. */
const patienceMs = 240_000;

/**
 * Lets runs of all kinds go on for some minutes while everything that they need dies again and again, and judges what has
 * become of them.
 *
 * @returns the verdict; the folder with all logs and databases is kept where a promise was broken
 */
export async function chaos(settings: ChaosSettings): Promise<{ verdict: Verdict; lines: string[] }> {
  const { cli, minutes, runsAtOnce, say, seed } = settings;
  const folder = mkdtempSync(join(tmpdir(), 'reprise-chaos-'));
  const [home, extensions] = [join(folder, 'home'), join(folder, 'extensions')];
  mkdirSync(home);
  settings.prepare?.(home);
  writeConfigs(extensions);
  const began = performance.now();
  const tell = (text: string): void => say(`${Math.round((performance.now() - began) / 1000)} s: ${text}`);
  const provider = await startProvider(seed);
  const server = await serverIn(folder, cli);
  const store = sqliteStore(home);
  const clocks = Array.from({ length: settings.workers }, (_, index) => clockOf(join(folder, `clock-${index}`)));
  const workers = clocks.map(
    (clock, index) =>
      new WorkerProcess({
        extensions,
        log: join(folder, `worker-${index}.log`),
        nodeWords: clock.nodeWords,
        variables: {
          ...clock.variables,
          ...store.variables,
          REPRISE_HOME: home,
          TEMPORAL_ADDRESS: server.address,
          OPENAI_API_KEY: 'test-key',
          OPENAI_BASE_URL: provider.model,
          ROOMS_URL: provider.service,
        },
      }),
  );
  // One after the other, since the first makes the bundle.
  for (const worker of workers) await worker.start();
  const reprise = await connect({ address: server.address });
  const load = new Load({
    reprise,
    seed,
    runsAtOnce,
    onEnd: ({ id, outcome, problem }) => tell(`${id} ${outcome ?? problem}`),
  });
  const watch = new CommitWatch(store);
  const over = new AbortController();
  try {
    watch.begin();
    load.begin();
    const kinds = [...disturbances, ...(store.server === undefined ? [] : databaseDisturbances)];
    const disturbed = disturb({ workers, clocks, store, server }, plannedDisturbances(seed, kinds), over.signal, tell);
    await Promise.race([pause(minutes * 60_000), disturbed]);
    over.abort();
    const counts = await disturbed;
    tell('all is well again; the open runs come to their end');
    const runs = await load.end(patienceMs);
    const verdict = verdictOf({ books: await provider.books(), commits: await watch.end(), runs });
    const ownEnds = workers.flatMap((worker) => worker.ownEnds);
    const lines = [
      ...verdictLines(verdict, counts),
      `clock by ${clocks[0]?.name}; workers that ended by themselves and were started again: ${ownEnds.length}`,
    ];
    if (isKept(verdict)) rmSync(folder, { recursive: true, force: true });
    else lines.push(`logs and databases: ${folder}`);
    return { verdict, lines };
  } finally {
    over.abort();
    await reprise.close();
    await Promise.all([...workers.map((worker) => worker.kill()), server.kill(), provider.close()]);
    await store.close();
  }
}

/** An embedded server that can be killed and started again on the same data. */
async function serverIn(folder: string, cli: string) {
  const settings = {
    cli,
    port: await freePort(),
    database: join(folder, 'temporal.db'),
    log: join(folder, 'temporal.log'),
  };
  let running: RunningServer = await startServer(settings);
  return {
    address: running.address,
    kill: () => killed(running.process),
    async start() {
      running = await startServer(settings);
    },
  };
}
