import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { NativeConnection } from '@temporalio/worker';
import { workflowTypes } from '../protocol/definitions.ts';
import type { Metrics } from './metrics.ts';
import { ofTypes, openOnly } from '../util/run-status.ts';

const delayEveryMs = 10_000;
const countEveryMs = 30_000;

/**
 * Sets the metrics that are looked up rather than told: the delay of the event loop, and how many runs are open and wait
 * for a person, which each worker counts over the whole namespace.
 *
 * @returns a function that ends it
 */
export function watchGauges(metrics: Metrics, { workflowService }: NativeConnection, namespace: string): () => void {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  const look = (): void => {
    metrics.set('reprise.event_loop.delay', Number.isFinite(delays.max) ? delays.max / 1e9 : 0);
    delays.reset();
  };
  const open = `${ofTypes(workflowTypes)} AND ${openOnly}`;
  const count = async (query: string): Promise<number> =>
    Number((await workflowService.countWorkflowExecutions({ namespace, query })).count ?? 0);
  const ask = async (): Promise<void> => {
    try {
      metrics.set('reprise.runs.open', await count(open));
      metrics.set('reprise.runs.waiting', await count(`${open} AND RepriseWaiting = 'human'`));
    } catch {
      // The server may be away for a moment, which Temporal's own metrics tell.
    }
  };
  void ask();
  const timers = [setInterval(look, delayEveryMs), setInterval(() => void ask(), countEveryMs)];
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearInterval(timer);
    delays.disable();
  };
}
