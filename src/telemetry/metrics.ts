import type { MetricMeter, MetricTags } from '@temporalio/common';

/** Bounds of histograms, in their units. Tokens: those of the GenAI conventions. */
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 300, 1800];
const minutes = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 86_400];
const dollars = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];
const moments = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 30];

interface Instrument {
  kind: 'counter' | 'histogram' | 'gauge';
  unit: string;
  description: string;
  buckets?: number[];
}

const counter = (description: string) => ({ kind: 'counter' as const, unit: '', description });
const gauge = (unit: string, description: string) => ({ kind: 'gauge' as const, unit, description });
const histogram = (unit: string, buckets: number[], description: string) => ({
  kind: 'histogram' as const,
  unit,
  description,
  buckets,
});

/**
 * Reprise's own metrics. Those that begin with `gen_ai.` are the ones of the semantic conventions for generative AI
 * (https://github.com/open-telemetry/semantic-conventions-genai).
 */
export const instruments = {
  'gen_ai.client.token.usage': histogram('{token}', tokens, 'Tokens of a request to a model, by gen_ai.token.type'),
  'gen_ai.client.operation.duration': histogram('s', seconds, 'Time of a request to a model'),
  'gen_ai.execute_tool.duration': histogram('s', seconds, 'Time of a tool call'),
  'gen_ai.workflow.duration': histogram(
    's',
    minutes,
    'Time of a run from its start to its end, waiting for people included',
  ),
  'reprise.cost.usd': histogram('', dollars, 'US dollars of a model call, as the run counts them'),
  'reprise.runs.ended': counter('Runs that have ended, by type and outcome'),
  'reprise.runs.open': gauge('', 'Open runs of the namespace'),
  'reprise.runs.waiting': gauge('', 'Open runs of the namespace that wait for a person'),
  'reprise.restarts': counter('Restarts of work that was not good enough, by reason'),
  'reprise.waits.ended': counter(
    'Questions, keys, tools and approvals that a person was waited for, by how that ended',
  ),
  'reprise.activity.retries': counter('Further tries of an activity that had failed'),
  'reprise.activity.failures': counter('Tries of activities that failed, by error.type'),
  'reprise.journal.hits': counter(
    'Calls whose result was in the journal already, so that they were not made and paid again',
  ),
  'reprise.store.duration': histogram('s', moments, 'Time of an operation of the store'),
  'reprise.store.out_of_order': histogram('s', seconds, 'How long a result had to be kept until the store took it'),
  'reprise.event_loop.delay': gauge('s', 'The longest delay of the event loop in 10 s'),
} satisfies Record<string, Instrument>;

type Name = keyof typeof instruments;

type Of<K extends Instrument['kind']> = { [N in Name]: (typeof instruments)[N]['kind'] extends K ? N : never }[Name];

/** A name as Prometheus takes it, the same as a collector makes of it on the way from OTLP; `_total` of counters is added later. */
const prometheusName = (name: string): string => {
  const unit = instruments[name as Name]?.unit === 's' ? '_seconds' : '';
  return `${name.replaceAll('.', '_')}${unit}`;
};

/** Bounds of the histograms, and of Temporal's own ones that would else end at a minute. */
export const histogramBuckets: Record<string, number[]> = {
  ...Object.fromEntries(
    Object.entries(instruments).flatMap(([name, each]) =>
      'buckets' in each ? [name, prometheusName(name)].map((either) => [either, [...each.buckets]]) : [],
    ),
  ),
  activity_execution_latency: seconds,
  activity_succeed_endtoend_latency: seconds,
};

/** Records Reprise's metrics; each function does nothing where nobody collects them. */
export interface Metrics {
  /** Whether anybody collects them, so that what costs something to find out is found out. */
  isOn: boolean;
  count(name: Of<'counter'>, tags?: MetricTags): void;
  record(name: Of<'histogram'>, value: number, tags?: MetricTags): void;
  set(name: Of<'gauge'>, value: number, tags?: MetricTags): void;
}

const nothing = (): void => {};

export const noMetrics: Metrics = { isOn: false, count: nothing, record: nothing, set: nothing };

/**
 * @param meter of Temporal's runtime, whose native part exports these metrics beside its own
 * @param isPrometheus whether it serves them to Prometheus, for which it takes only names as Prometheus has them
 */
export function openMetrics(meter: MetricMeter, isPrometheus: boolean): Metrics {
  const made = <I>(kind: Instrument['kind'], make: (name: string, unit: string, description: string) => I) =>
    Object.fromEntries(
      Object.entries(instruments)
        .filter(([, each]) => each.kind === kind)
        .map(([name, { description, unit }]) => [
          name,
          isPrometheus ? make(prometheusName(name), '', description) : make(name, unit, description),
        ]),
    );
  const named = (tags: MetricTags = {}): MetricTags =>
    Object.fromEntries(
      Object.entries(tags).map(([key, value]) => [isPrometheus ? key.replaceAll('.', '_') : key, value]),
    );
  const counters = made('counter', (name, unit, text) => meter.createCounter(name, unit, text));
  const histograms = made('histogram', (name, unit, text) => meter.createHistogram(name, 'float', unit, text));
  const gauges = made('gauge', (name, unit, text) => meter.createGauge(name, 'float', unit, text));
  return {
    isOn: true,
    count: (name, tags) => counters[name]?.add(1, named(tags)),
    record: (name, value, tags) => histograms[name]?.record(value, named(tags)),
    set: (name, value, tags) => gauges[name]?.set(value, named(tags)),
  };
}
