import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import type { Disturbance, DisturbanceKind } from './plan.ts';
import type { WorkerProcess } from './processes.ts';
import type { TestedStore } from './store.ts';

/** What can be disturbed. */
export interface Machine {
  workers: WorkerProcess[];
  clocks: Clock[];
  store: TestedStore;
  server: { kill(): Promise<void>; start(): Promise<void> };
  /** Cuts a worker's network. @returns what undoes that */
  cut?: (worker: number) => () => Promise<void>;
}

/** What undoes a disturbance. */
type Heal = () => Promise<unknown>;

/** Begins a disturbance. */
type Begin = (machine: Machine, disturbance: Disturbance) => Promise<Heal>;

const all = (works: Array<Promise<unknown>>): Promise<unknown> => Promise.all(works);

const begins: Record<DisturbanceKind, Begin> = {
  async 'kill worker'({ workers }, { target }) {
    const worker = chosen(workers, target);
    await worker.kill();
    return () => worker.start();
  },
  async 'kill all workers'({ workers }) {
    await all(workers.map((worker) => worker.kill()));
    return () => all(workers.map((worker) => worker.start()));
  },
  async 'kill server'({ server }) {
    await server.kill();
    return () => server.start();
  },
  async 'kill server and workers'({ server, workers }) {
    await all([server.kill(), ...workers.map((worker) => worker.kill())]);
    return async () => {
      await server.start();
      await all(workers.map((worker) => worker.start()));
    };
  },
  async 'freeze worker'({ workers }, { target }) {
    const worker = chosen(workers, target);
    worker.signal('SIGSTOP');
    return async () => worker.signal('SIGCONT');
  },
  'disk full': ({ store, workers }) => store.fill(workers.flatMap(({ pid }) => pid ?? [])),
  'lock store': ({ store }) => store.lock(),
  async 'jump clock'({ clocks }, { target }) {
    const clock = chosen(clocks, target);
    clock.set(target % 2 === 0 ? 3600 : -600);
    return async () => clock.set(0);
  },
  async 'kill database'({ store }) {
    await store.server?.kill();
    return async () => store.server?.start();
  },
  async 'cut network'({ cut, workers }, { target }) {
    return cut?.(target % workers.length) ?? (async () => {});
  },
};

const chosen = <T>(all: T[], target: number): T => all[target % all.length] as T;

/** Disturbs a machine by a plan until it is told to stop, and leaves it healed. @returns how often each kind happened */
export async function disturb(
  machine: Machine,
  plan: Iterable<Disturbance>,
  over: AbortSignal,
  say: (text: string) => void,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const disturbance of plan) {
    const { after, kind, lasts, target } = disturbance;
    await sleep(after, over);
    if (over.aborted) break;
    counts[kind] = (counts[kind] ?? 0) + 1;
    say(`${kind} (${target % machine.workers.length}), ${lasts} s`);
    const heal = await begins[kind](machine, disturbance);
    await sleep(lasts, over);
    await heal();
  }
  return counts;
}

const sleep = (seconds: number, signal: AbortSignal): Promise<void> =>
  pause(seconds * 1000, undefined, { signal }).catch(() => {});
