import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../../test/support/postgres.ts';
import { workflowBundle } from '../../src/worker/workflow-bundle.ts';
import { writeConfigs } from '../chaos/configs.ts';
import { clusterDisturbances, databaseDisturbances, disturbances } from '../chaos/plan.ts';
import { startProvider, WorkerProcess, type Provider } from '../chaos/processes.ts';
import { postgresStore } from '../chaos/postgres-store.ts';
import { clocksIn, keptIfBroken, trial, workerVariables, type Trial, type TrialSettings } from '../chaos/trial.ts';
import { temporalBinaries } from './binaries.ts';
import { makeNextVersion } from './next-version.ts';
import { startProxy } from './proxy.ts';
import { startTemporal } from './temporal.ts';

export type ClusterSettings = Pick<TrialSettings, 'minutes' | 'seed' | 'runsAtOnce' | 'say'>;

/** How many workers start on the empty store at once, and how many of them go on. */
const starting = 10;
const workersInAll = 3;

/** How long all of them serve, in milliseconds. */
const settleMs = 15_000;

/**
 * Sets up what a cluster has, natively: PostgreSQL, Temporal's own server on it, and workers that share nothing but these.
 * Ten workers start at once on an empty store, and three of them go on. Half way through they are replaced by those of the
 * next version, one after the other, while all of it is disturbed.
 */
export async function cluster(settings: ClusterSettings): Promise<Trial & { schemas: number }> {
  const { minutes, say, seed } = settings;
  const binaries = temporalBinaries(say);
  const folder = mkdtempSync(join(tmpdir(), 'reprise-cluster-'));
  const extensions = join(folder, 'extensions');
  writeConfigs(extensions);
  say('Bundling the workflows …');
  await workflowBundle(folder, extensions);
  const nextMain = makeNextVersion(join(folder, 'next'));
  const provider = await startProvider(seed);
  const postgres = await startPostgres();
  const server = await startTemporal(binaries, postgres, folder);
  const store = postgresStore(postgres);
  const clocks = clocksIn(folder, starting);
  const lines = await Promise.all(clocks.map(() => linesTo(server.address, postgres.port, provider)));
  const workers = clocks.map(({ nodeWords, variables }, index) => {
    const home = join(folder, `home-${index}`);
    mkdirSync(home);
    // As in an image, which has the bundle.
    symlinkSync(join(folder, 'bundles'), join(home, 'bundles'));
    const { addresses, databasePort } = lines[index] as Lines;
    return new WorkerProcess({
      extensions,
      log: join(folder, `worker-${index}.log`),
      nodeWords,
      variables: {
        ...variables,
        ...workerVariables(home, addresses.temporal, addresses),
        DATABASE_URL: store.urlAt(databasePort),
      },
    });
  });
  const serving = workers.slice(0, workersInAll);
  const upgraded: string[] = [];
  const upgrade = async (tell: (text: string) => void, openRuns: () => string[]): Promise<void> => {
    await pause(settleMs);
    tell(`${starting - workersInAll} workers are no longer needed, and end`);
    await Promise.all(workers.slice(workersInAll).map((worker) => worker.end()));
    await pause(minutes * 30_000 - settleMs);
    upgraded.push(...openRuns());
    for (const worker of serving) {
      tell(`a worker of the next version takes the place of one, with ${openRuns().length} runs open`);
      worker.settings = { ...worker.settings, main: nextMain };
      await worker.end();
      await worker.start();
    }
  };
  let judged: Trial & { schemas: number };
  try {
    say(`Starting ${starting} workers at once on an empty store …`);
    await Promise.all(workers.map((worker) => worker.start()));
    const cut = (worker: number): (() => Promise<void>) => {
      lines[worker]?.cut();
      return async () => lines[worker]?.mend();
    };
    const machine = { workers: serving, clocks: clocks.slice(0, workersInAll), store, server, cut };
    const kinds = [...disturbances, ...databaseDisturbances, ...clusterDisturbances];
    const { verdict, lines: said } = await trial(machine, {
      ...settings,
      kinds,
      address: server.address,
      provider,
      meanwhile: upgrade,
    });
    const schemas = await store.schemas();
    const lostIds = verdict.lost.map((text) => text.replace(/:.*/, ''));
    const lostOnes = upgraded.filter((id) => lostIds.includes(id));
    const more = [`upgraded runs ${upgraded.length}, lost ${lostOnes.length}`, `schema count ${schemas}`];
    judged = { verdict, schemas, lines: [...said, ...more] };
  } finally {
    await Promise.all([...workers.map((worker) => worker.kill()), server.kill(), provider.close()]);
    await Promise.all(lines.map((line) => line.close()));
    await postgres.stop();
  }
  return { ...keptIfBroken(judged, folder), schemas: judged.schemas };
}

type Lines = Awaited<ReturnType<typeof linesTo>>;

/** A worker's ways to everything that is not on its machine, which can be cut all at once. */
async function linesTo(temporal: string, databasePort: number, { model, service }: Provider) {
  const portOf = (url: string): number => Number(/:(\d+)/.exec(url)?.[1]);
  const ports = [portOf(temporal), databasePort, portOf(model), portOf(service)];
  const proxies = await Promise.all(ports.map((port) => startProxy(() => port)));
  const [toTemporal, toDatabase, toModel, toService] = proxies.map(({ port }) => port);
  return {
    addresses: {
      temporal: `127.0.0.1:${toTemporal}`,
      model: model.replace(/:\d+/, `:${toModel}`),
      service: service.replace(/:\d+/, `:${toService}`),
    },
    databasePort: toDatabase ?? 0,
    cut: () => proxies.forEach((proxy) => proxy.cut()),
    mend: () => proxies.forEach((proxy) => proxy.mend()),
    close: () => Promise.all(proxies.map((proxy) => proxy.close())),
  };
}
