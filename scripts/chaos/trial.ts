import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../src/client.ts';
import { clockOf, type Clock } from './clock.ts';
import { CommitWatch } from './commits.ts';
import { disturb, type Machine } from './disturb.ts';
import { Load } from './load.ts';
import { plannedDisturbances, type DisturbanceKind } from './plan.ts';
import type { Provider } from './processes.ts';
import { verdictLines } from './verdict-lines.ts';
import { isKept, verdictOf, type Verdict } from './verdict.ts';

export interface TrialSettings {
  minutes: number;
  seed: number;
  runsAtOnce: number;
  /** What happens to the machine. */
  kinds: readonly DisturbanceKind[];
  /** Address of the Temporal server, which stays the same when it is started again. */
  address: string;
  provider: Provider;
  /** Is told of all that happens, with the time since the beginning. */
  say: (text: string) => void;
  /** What else goes on meanwhile; it ends before the disturbances do. */
  meanwhile?: (tell: (text: string) => void, openRuns: () => string[]) => Promise<void>;
}

export interface Trial {
  verdict: Verdict;
  /** The verdict in words. */
  lines: string[];
}

/** How long the runs that are open at the end may take once everything is well again, in milliseconds. */
const timeoutMs = 240_000;

/** Lets runs go on for some minutes while a machine is disturbed, and judges what has become of them. */
export async function trial(machine: Machine, settings: TrialSettings): Promise<Trial> {
  const { address, kinds, minutes, provider, runsAtOnce, say, seed } = settings;
  const began = performance.now();
  const tell = (text: string): void => say(`${Math.round((performance.now() - began) / 1000)} s: ${text}`);
  const reprise = await connect({ address });
  const watch = new CommitWatch(machine.store);
  const load = new Load({
    reprise,
    seed,
    runsAtOnce,
    onEnd: ({ id, outcome, problem }) => tell(`${id} ${outcome ?? problem}`),
  });
  const over = new AbortController();
  try {
    watch.begin();
    load.begin();
    const disturbed = disturb(machine, plannedDisturbances(seed, kinds), over.signal, tell);
    await Promise.race([
      Promise.all([pause(minutes * 60_000), settings.meanwhile?.(tell, () => [...load.open.keys()])]),
      disturbed,
    ]);
    over.abort();
    const counts = await disturbed;
    tell('all is well again; the open runs come to their end');
    const runs = await load.end(timeoutMs);
    const verdict = verdictOf({ books: await provider.books(), commits: await watch.end(), runs });
    const ownEnds = machine.workers.flatMap((worker) => worker.ownEnds);
    const lines = [
      ...verdictLines(verdict, counts),
      `the clock that jumps: ${machine.clocks[0]?.name}`,
      `workers that ended by themselves and were started again: ${[ownEnds.length, ...ownEnds].join(', ')}`,
    ];
    return { verdict, lines };
  } catch (error) {
    // Requests that are cut off by what follows would be heard of before it.
    tell(`the trial itself has failed: ${String(error)}`);
    throw error;
  } finally {
    over.abort();
    await reprise.close();
  }
}

/** Variables of a worker that reaches the server and the provider at these addresses. */
export const workerVariables = (
  home: string,
  address: string,
  { model, service }: Pick<Provider, 'model' | 'service'>,
) => ({
  REPRISE_HOME: home,
  TEMPORAL_ADDRESS: address,
  OPENAI_API_KEY: 'test-key',
  OPENAI_BASE_URL: model,
  ROOMS_URL: service,
});

/** So many clocks, each with a file of its own in a folder. */
export const clocksIn = (folder: string, count: number): Clock[] =>
  Array.from({ length: count }, (_, index) => clockOf(`${folder}/clock-${index}`));

/** Removes the folder with all logs and databases, unless they are evidence: then the last line names it. */
export function keptIfBroken({ lines, verdict }: Trial, folder: string): Trial {
  if (!isKept(verdict)) return { verdict, lines: [...lines, `logs and databases: ${folder}`] };
  rmSync(folder, { recursive: true, force: true });
  return { verdict, lines };
}
