import type { MetricsExporter } from '@temporalio/worker';
import { VariableError } from '../util/environment.ts';
import { histogramBuckets } from './metrics.ts';

/** Where telemetry goes, by OpenTelemetry's standard variables. */
export interface TelemetrySettings {
  /** Where spans go; undefined for nowhere. Their exporter reads timeout, compression and certificates by itself. */
  traces:
    | {
        url: string;
        headers: Record<string, string>;
        everyMs: number;
        /** The share of runs where the sampler takes one. */
        ratio: number;
      }
    | undefined;
  /** Where the SDK's native part sends its own metrics and Reprise's; undefined for nowhere. */
  metrics: MetricsExporter | undefined;
}

/**
 * Reads OpenTelemetry's variables (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Nothing
 * is exported unless they name an endpoint, or a port for Prometheus. Empty ones count as not set. @throws `VariableError`
 */
export function telemetrySettings(variables: NodeJS.ProcessEnv): TelemetrySettings {
  if (variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return { traces: undefined, metrics: undefined };
  const tracesTo = exporterOf(variables, 'TRACES', ['otlp', 'none']);
  const metricsTo = exporterOf(variables, 'METRICS', ['otlp', 'prometheus', 'none']);
  const metricsUrl = endpointOf(variables, 'METRICS');
  const tracesUrl = endpointOf(variables, 'TRACES');
  const settings: TelemetrySettings = { traces: undefined, metrics: undefined };
  if (tracesTo === 'otlp' && tracesUrl !== undefined)
    settings.traces = {
      url: tracesUrl,
      headers: headersFor(variables, 'TRACES'),
      everyMs: numberIn(variables, 'OTEL_BSP_SCHEDULE_DELAY', 5000),
      ratio: numberIn(variables, 'OTEL_TRACES_SAMPLER_ARG', 1),
    };
  if (metricsTo === 'prometheus') settings.metrics = prometheus(variables);
  if (metricsTo === 'otlp' && metricsUrl !== undefined) settings.metrics = otlp(variables, metricsUrl);
  return settings;
}

/** The number in a variable. @throws `VariableError` where it is none, or below 0 */
function numberIn(variables: NodeJS.ProcessEnv, name: string, usual: number): number {
  const value = variables[name] || String(usual);
  if (Number(value) >= 0) return Number(value);
  throw new VariableError(`${name} is "${value}"; it must be a number`);
}

type Signal = 'TRACES' | 'METRICS';

function exporterOf(variables: NodeJS.ProcessEnv, signal: Signal, known: string[]): string {
  const name = `OTEL_${signal}_EXPORTER`;
  const value = variables[name] || 'otlp';
  if (!known.includes(value)) throw new VariableError(`${name} is ${value}; Reprise knows ${known.join(', ')}`);
  return value;
}

/** The address for a signal; undefined where none is named. @throws `VariableError` where it is to be spoken to in another protocol */
function endpointOf(variables: NodeJS.ProcessEnv, signal: Signal): string | undefined {
  const own = variables[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  const all = variables['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!own && !all) return undefined;
  const name = [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, 'OTEL_EXPORTER_OTLP_PROTOCOL'].find((each) => variables[each]);
  const protocol = name && variables[name];
  if (protocol && protocol !== 'http/protobuf')
    throw new VariableError(
      `${name} is ${protocol}; Reprise sends telemetry by http/protobuf: unset it, and name the port for that ` +
        '(4318 of an OpenTelemetry Collector)',
    );
  return own || `${all?.replace(/\/$/, '')}/v1/${signal.toLowerCase()}`;
}

function otlp(variables: NodeJS.ProcessEnv, url: string): MetricsExporter {
  const isDelta = variables['OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE']?.toLowerCase() === 'delta';
  return {
    otel: {
      url,
      http: true,
      headers: headersFor(variables, 'METRICS'),
      metricsExportInterval: numberIn(variables, 'OTEL_METRIC_EXPORT_INTERVAL', 60_000),
      useSecondsForDurations: true,
      temporality: isDelta ? 'delta' : 'cumulative',
      histogramBucketOverrides: histogramBuckets,
    },
    globalTags: resourceOf(variables),
  };
}

/** Prometheus gets its metrics from the worker: by default at localhost:9464, as OpenTelemetry has it. */
function prometheus(variables: NodeJS.ProcessEnv): MetricsExporter {
  const host = variables['OTEL_EXPORTER_PROMETHEUS_HOST'] || '127.0.0.1';
  const port = variables['OTEL_EXPORTER_PROMETHEUS_PORT'] || '9464';
  return {
    prometheus: {
      bindAddress: `${host === 'localhost' ? '127.0.0.1' : host}:${port}`,
      countersTotalSuffix: true,
      unitSuffix: true,
      useSecondsForDurations: true,
      histogramBucketOverrides: histogramBuckets,
    },
  };
}

const headersFor = (variables: NodeJS.ProcessEnv, signal: Signal): Record<string, string> => ({
  ...pairsIn(variables, 'OTEL_EXPORTER_OTLP_HEADERS'),
  ...pairsIn(variables, `OTEL_EXPORTER_OTLP_${signal}_HEADERS`),
});

/** `key=value` pairs with commas between them, whose values are URL-encoded. @throws `VariableError`, without the value */
function pairsIn(variables: NodeJS.ProcessEnv, name: string): Record<string, string> {
  const pairs = (variables[name] ?? '').split(',').flatMap((pair) => {
    const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair)?.map((part) => part.trim()) ?? [];
    try {
      return key === '' ? [] : [[key, decodeURIComponent(value)]];
    } catch {
      throw new VariableError(`${name}: the value of ${key} is not URL-encoded; a % is written %25`);
    }
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

export function resourceOf(variables: NodeJS.ProcessEnv): Record<string, string> {
  const attributes = pairsIn(variables, 'OTEL_RESOURCE_ATTRIBUTES');
  const name = variables['OTEL_SERVICE_NAME'] || attributes['service.name'] || 'reprise-worker';
  return { ...attributes, 'service.name': name };
}
