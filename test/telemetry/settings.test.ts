import { expect, test } from 'vitest';
import { resourceOf, telemetrySettings } from '../../src/telemetry/settings.ts';
import { agentSpanId, parsedTraceparent, runSpanId, traceIdOf } from '../../src/telemetry/open-tracing.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
const nothing = { traces: undefined, metrics: undefined };

test.each([
  ['nothing is set', {}],
  ['everything is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_METRICS_EXPORTER: '', OTEL_SDK_DISABLED: '' }],
  ['the SDK is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'true' }],
  ['the exporters are none', { ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
])('nothing is exported where %s', (_, variables) => {
  expect(telemetrySettings(variables)).toEqual(nothing);
});

test('traces and metrics go to the paths below the endpoint, with its headers', () => {
  const variables = {
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-team=blue',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-team=red',
  };
  expect(telemetrySettings(variables)).toMatchObject({
    traces: { url: 'http://collector:4318/v1/traces', headers: { authorization: 'Bearer abc', 'x-team': 'blue' } },
    metrics: {
      otel: {
        url: 'http://collector:4318/v1/metrics',
        http: true,
        headers: { authorization: 'Bearer abc', 'x-team': 'red' },
        metricsExportInterval: 60_000,
        temporality: 'cumulative',
      },
      globalTags: { 'service.name': 'reprise-worker' },
    },
  });
});

test('a signal’s own endpoint is taken as it is, and turns on that signal alone', () => {
  const { metrics, traces } = telemetrySettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in' });
  expect(traces?.url).toBe('https://traces.example/in');
  expect(metrics).toBeUndefined();
});

test('Prometheus gets its metrics from this machine alone unless a host is named', () => {
  const address = (variables: NodeJS.ProcessEnv): unknown => {
    const { metrics } = telemetrySettings({ OTEL_METRICS_EXPORTER: 'prometheus', ...variables });
    return metrics && 'prometheus' in metrics ? metrics.prometheus.bindAddress : undefined;
  };
  expect(address({})).toBe('127.0.0.1:9464');
  expect(address({ OTEL_EXPORTER_PROMETHEUS_HOST: '0.0.0.0', OTEL_EXPORTER_PROMETHEUS_PORT: '9000' })).toBe(
    '0.0.0.0:9000',
  );
});

test.each([
  [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL is grpc.*http\/protobuf/],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER is zipkin; Reprise knows otlp, none/],
  [{ OTEL_METRICS_EXPORTER: 'console' }, /OTEL_METRICS_EXPORTER is console; Reprise knows otlp, prometheus, none/],
  [
    { ...endpoint, OTEL_METRIC_EXPORT_INTERVAL: 'often' },
    /OTEL_METRIC_EXPORT_INTERVAL is "often"; it must be a number/,
  ],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' }, /OTEL_EXPORTER_OTLP_HEADERS: .* a is not URL-encoded/],
  [{ ...endpoint, OTEL_BSP_SCHEDULE_DELAY: 'NaN' }, /OTEL_BSP_SCHEDULE_DELAY is "NaN"/],
  [{ ...endpoint, OTEL_TRACES_SAMPLER_ARG: '10%' }, /OTEL_TRACES_SAMPLER_ARG is "10%"/],
])('what there is not is refused by its name: %o', (variables, message) => {
  expect(() => telemetrySettings(variables)).toThrow(message);
});

test('the name of what is measured comes from its variable, then from the attributes', () => {
  const attributes = 'service.name=a,deployment.environment.name=prod';
  expect(resourceOf({ OTEL_RESOURCE_ATTRIBUTES: attributes })).toEqual({
    'service.name': 'a',
    'deployment.environment.name': 'prod',
  });
  expect(resourceOf({ OTEL_RESOURCE_ATTRIBUTES: attributes, OTEL_SERVICE_NAME: 'b' })).toMatchObject({
    'service.name': 'b',
  });
});

test('the ids of a run’s spans are the same on every worker, and differ from each other', () => {
  const ids = [
    traceIdOf('r1'),
    traceIdOf('r2'),
    runSpanId('r1'),
    agentSpanId('r1', { agent: 'a', round: 1 }),
    agentSpanId('r1', { agent: 'a', round: 2 }),
    agentSpanId('r1', { agent: 'b', round: 1 }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  expect(traceIdOf('r1')).toMatch(/^[0-9a-f]{32}$/);
  expect(runSpanId('r1')).toMatch(/^[0-9a-f]{16}$/);
});

test.each([undefined, '', 'x', '00-abc-def-01', `00-${'0'.repeat(31)}-${'1'.repeat(16)}-01`])(
  'what is no trace context is none: %s',
  (text) => {
    expect(parsedTraceparent(text)).toBeUndefined();
  },
);
