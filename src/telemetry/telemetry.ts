import { noopMetricMeter } from '@temporalio/common';
import {
  Runtime,
  type ActivityInterceptorsFactory,
  type InjectedSinks,
  type NativeConnection,
} from '@temporalio/worker';
import type { Environment } from '../util/environment.ts';
import { readPrices } from '../config/models/prices.ts';
import type { RunSinks } from '../protocol/sinks.ts';
import type { Store } from '../store/store.ts';
import { activityInterceptor } from './activity-interceptor.ts';
import { watchGauges } from './gauges.ts';
import { noMetrics, openMetrics } from './metrics.ts';
import { telemetrySink } from './run-spans.ts';
import { telemetrySettings } from './settings.ts';
import { timedStore } from './timed-store.ts';
import type { Tracing } from './tracing.ts';

export interface Telemetry {
  /** The store, whose operations are timed where anybody collects that. */
  timed(store: Store): Store;
  sinks: Pick<InjectedSinks<RunSinks>, 'telemetry'>;
  interceptors(activityTypes: readonly string[]): ActivityInterceptorsFactory[];
  /** Begins to export. @returns a function that sends what is left and ends it */
  start(connection: NativeConnection | undefined, namespace: string): Promise<() => Promise<void>>;
}

/**
 * Opens the telemetry of a worker. Metrics go to whatever Temporal's runtime was installed with, which is by the same
 * variables in Reprise's own workers (`worker/quiet-runtime.ts`) and a user's own affair beside their workflows. Without the
 * variables this costs nothing, and OpenTelemetry's SDK is not loaded.
 *
 * @throws `Error` where the variables ask for what there is not
 */
export function openTelemetry(environment: Environment): Telemetry {
  const { traces } = telemetrySettings(environment);
  const { metricMeter, options } = Runtime.instance();
  const isPrometheus = options.runtimeOptions.metricsExporter?.type === 'prometheus';
  const metrics = metricMeter === noopMetricMeter ? noMetrics : openMetrics(metricMeter, isPrometheus);
  let tracing: Tracing | undefined;
  const isOn = traces !== undefined || metrics.isOn;
  return {
    timed: (store) => (metrics.isOn ? timedStore(store, metrics) : store),
    sinks: telemetrySink(metrics, () => tracing),
    interceptors: (activityTypes) =>
      isOn
        ? [
            activityInterceptor({
              activityTypes,
              metrics,
              tracing: () => tracing,
              prices: readPrices(environment),
              environment,
            }),
          ]
        : [],
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
