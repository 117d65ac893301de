import { monitorEventLoopDelay } from 'node:perf_hooks';
import { noopMetricMeter } from '@temporalio/common';
import {
  Runtime,
  type ActivityInterceptorsFactory,
  type InjectedSinks,
  type NativeConnection,
} from '@temporalio/worker';
import { workflowTypes } from '../protocol/definitions.ts';
import type { Environment } from '../util/environment.ts';
import { ofTypes, openOnly } from '../util/run-status.ts';
import { readPrices } from '../config/models/prices.ts';
import type { RunSinks } from '../protocol/sinks.ts';
import type { Store } from '../store/store.ts';
import { activityInterceptor } from './activity-interceptor.ts';
import { noMetrics, openMetrics, type Metrics } from './metrics.ts';
import { telemetrySink } from './run-spans.ts';
import { telemetrySettings } from './settings.ts';
import type { Tracing } from './open-tracing.ts';

export interface Telemetry {
  /** The store, whose operations are timed where anybody collects that. */
  timed(store: Store): Store;
  sinks: Pick<InjectedSinks<RunSinks>, 'telemetry'>;
  interceptors(activityTypes: readonly string[]): ActivityInterceptorsFactory[];
  /** Begins to export. @returns a function that sends what is left and ends it */
  start(connection: NativeConnection | undefined, namespace: string): Promise<() => Promise<void>>;
}

/**
 * Opens the telemetry of a worker. Metrics go to whatever Temporal's runtime was installed with, which is by the same variables in
 * Reprise's own workers (`worker/quiet-runtime.ts`) and a user's own affair beside their workflows. Without the variables this
 * costs nothing, and OpenTelemetry's SDK is not loaded. @throws `Error` where the variables ask for what there is not
 */
export function openTelemetry(environment: Environment): Telemetry {
  const { traces } = telemetrySettings(environment);
  const { metricMeter, options } = Runtime.instance();
  const isPrometheus = options.runtimeOptions.metricsExporter?.type === 'prometheus';
  const metrics = metricMeter === noopMetricMeter ? noMetrics : openMetrics(metricMeter, isPrometheus);
  let tracing: Tracing | undefined;
  return {
    timed: (store) => (metrics.isOn ? timedStore(store, metrics) : store),
    sinks: telemetrySink(metrics, () => tracing),
    interceptors(activityTypes) {
      if (traces === undefined && !metrics.isOn) return [];
      const prices = readPrices(environment);
      return [activityInterceptor({ activityTypes, metrics, tracing: () => tracing, prices, environment })];
    },
    async start(connection, namespace) {
      if (traces !== undefined) {
        const { openTracing } = await import('./open-tracing.ts');
        tracing = openTracing(traces, environment, (text) => Runtime.instance().logger.warn(text));
      }
      const stop = metrics.isOn && connection !== undefined ? watchGauges(metrics, connection, namespace) : undefined;
      return async () => {
        stop?.();
        await tracing?.close();
      };
    },
  };
}

function timedStore(store: Store, metrics: Metrics): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return async (...given: unknown[]) => {
        const began = performance.now();
        const tags: Record<string, string> = { 'reprise.store.operation': name };
        try {
          return (await member.apply(target, given)) as unknown;
        } catch (error) {
          tags['error.type'] = (error as { code?: string }).code ?? (error as Error).name;
          throw error;
        } finally {
          metrics.record('reprise.store.duration', (performance.now() - began) / 1000, tags);
        }
      };
    },
  });
}

/**
 * Sets the metrics that are looked up: the delay of the event loop, and how many runs are open and wait for a person, which each
 * worker counts over the whole namespace. @returns a function that ends it
 */
function watchGauges(metrics: Metrics, { workflowService }: NativeConnection, namespace: string): () => void {
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
  const timers = [setInterval(look, 10_000), setInterval(() => void ask(), 30_000)];
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearInterval(timer);
    delays.disable();
  };
}
