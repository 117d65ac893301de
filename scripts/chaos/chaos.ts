import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/local/ports.ts';
import { startServer, type RunningServer } from '../../src/local/server.ts';
import { killed } from '../../test/support/killed.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { writeConfigs } from './configs.ts';
import { databaseDisturbances, disturbances } from './plan.ts';
import { startProvider, WorkerProcess } from './processes.ts';
import { postgresStore } from './postgres-store.ts';
import { sqliteStore } from './store.ts';
import { clocksIn, keptIfBroken, trial, workerVariables, type Trial, type TrialSettings } from './trial.ts';

export const stores = ['sqlite', 'postgres'] as const;

export interface ChaosSettings extends Pick<TrialSettings, 'minutes' | 'seed' | 'runsAtOnce' | 'say'> {
  store: (typeof stores)[number];
  /** How many worker processes there are. */
  workers: number;
  /** Path of the Temporal CLI. */
  cli: string;
  /** Prepares the workers' home, which has no bundle of the workflows yet. */
  prepare?: (home: string) => void;
}

/**
 * Lets runs of all kinds go on for some minutes on one machine, with an embedded server, while everything that they need dies
 * again and again, and judges what has become of them. The folder with all logs and databases is kept where a promise was
 * broken, and the last line names it.
 */
export async function chaos(settings: ChaosSettings): Promise<Trial> {
  const { cli, say, seed } = settings;
  const folder = mkdtempSync(join(tmpdir(), 'reprise-chaos-'));
  const [home, extensions] = [join(folder, 'home'), join(folder, 'extensions')];
  mkdirSync(home);
  settings.prepare?.(home);
  writeConfigs(extensions);
  const provider = await startProvider(seed);
  const server = await serverIn(folder, cli);
  const postgres = settings.store === 'postgres' ? await startPostgres() : undefined;
  const store = postgres === undefined ? sqliteStore(home) : postgresStore(postgres);
  const clocks = clocksIn(folder, settings.workers);
  const workers = clocks.map(
    ({ nodeWords, variables }, index) =>
      new WorkerProcess({
        extensions,
        log: join(folder, `worker-${index}.log`),
        nodeWords,
        variables: { ...variables, ...store.variables, ...workerVariables(home, server.address, provider) },
      }),
  );
  let judged: Trial;
  try {
    // One after the other, since the first makes the bundle.
    for (const worker of workers) await worker.start();
    const kinds = [...disturbances, ...(store.server === undefined ? [] : databaseDisturbances)];
    const machine = { workers, clocks, store, server };
    judged = await trial(machine, { ...settings, kinds, address: server.address, provider, say });
  } finally {
    await Promise.all([...workers.map((worker) => worker.kill()), server.kill(), provider.close()]);
    await postgres?.stop();
  }
  return keptIfBroken(judged, folder);
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
