import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type IdGenerator,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { VariableError } from '../util/environment.ts';
import { hashOf } from '../util/ids.ts';
import { version } from '../util/version.ts';
import { resourceOf, type TelemetrySettings } from './settings.ts';

export interface OpenSpan {
  /** @param errorType of its failure; undefined if it succeeded @param at in milliseconds since the epoch; absent: now */
  end(attributes: Attributes, errorType: string | undefined, at?: number): void;
}

interface SpanOptions {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** In milliseconds since the epoch; absent: now. */
  start?: number;
}

/** A span that is over. `errorType`: of the failure that it ended with; undefined if it succeeded. */
interface EndedSpan extends SpanOptions {
  start: number;
  end: number;
  errorType?: string | undefined;
}

/** What the trace of a run is found by. `traceparent`: the W3C trace context of whoever started the run. */
interface RunTrace {
  runId: string;
  traceparent: string | undefined;
}

interface AgentRound {
  agent: string;
  round: number;
}

/** The spans of runs. Each run is one trace, whose ids follow from the run's id, so that all workers know them. */
export interface Tracing {
  /** A span below the run's, or below that of an agent in one of its rounds. */
  call(run: RunTrace, agent: AgentRound | undefined, options: SpanOptions): OpenSpan;
  agent(run: RunTrace, agent: AgentRound, span: EndedSpan): void;
  run(run: RunTrace, span: EndedSpan): void;
  close(): Promise<void>;
}

/** The ids of a trace and of spans that several workers must know without asking each other. */
export const traceIdOf = (runId: string): string => hashOf(`trace\n${runId}`).slice(0, 32);
export const runSpanId = (runId: string): string => hashOf(`run\n${runId}`).slice(0, 16);
export const agentSpanId = (runId: string, { agent, round }: AgentRound): string =>
  hashOf(`agent\n${runId}\n${round}\n${agent}`).slice(0, 16);

export function parsedTraceparent(text: string | undefined) {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/**
 * Opens the export of spans by OTLP. Loading this module loads OpenTelemetry's SDK, so it is imported only where the variables
 * ask for spans. @param warn is told when spans cannot be sent, at most once a minute
 */
export function openTracing(
  to: NonNullable<TelemetrySettings['traces']>,
  variables: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): Tracing {
  warnSparsely(warn);
  const ids = new GivenIds();
  const { everyMs, ratio, ...place } = to;
  const sampler = samplerOf(ratio, variables['OTEL_TRACES_SAMPLER']);
  const provider = new TracerProvider({
    sampler,
    idGenerator: ids,
    resource: defaultResource().merge(resourceFromAttributes(resourceOf(variables))),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(place), scheduledDelayMillis: everyMs })],
  });
  const tracer = provider.getTracer('reprise', version);

  /** The trace of a run: that of whoever started it, or one of its own. */
  const traceOf = ({ runId, traceparent }: RunTrace) => {
    const parent = parsedTraceparent(traceparent);
    if (parent !== undefined) return parent;
    const traceId = traceIdOf(runId);
    const { decision } = sampler.shouldSample(ROOT_CONTEXT, traceId, 'run', SpanKind.INTERNAL, {}, []);
    const isSampled = decision === SamplingDecision.RECORD_AND_SAMPLED;
    return { traceId, spanId: undefined, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE };
  };
  const start = (spanId: string | undefined, options: SpanOptions, parent: Context): Span => {
    const { attributes, kind, name, start: startTime } = options;
    ids.spanId = spanId;
    return tracer.startSpan(name, { attributes, kind, ...(startTime !== undefined && { startTime }) }, parent);
  };
  const under = (run: RunTrace, spanId: string): Context =>
    trace.setSpanContext(ROOT_CONTEXT, { ...traceOf(run), spanId, isRemote: true });

  return {
    call(run, agent, options) {
      const parent = agent === undefined ? runSpanId(run.runId) : agentSpanId(run.runId, agent);
      const span = start(undefined, options, under(run, parent));
      return {
        end(attributes, errorType, at) {
          span.setAttributes(attributes);
          ended(span, { errorType, end: at });
        },
      };
    },
    agent(run, agent, span) {
      ended(start(agentSpanId(run.runId, agent), span, under(run, runSpanId(run.runId))), span);
    },
    run(run, span) {
      const { spanId, traceId } = traceOf(run);
      if (spanId === undefined) ids.traceId = traceId;
      ended(start(runSpanId(run.runId), span, spanId === undefined ? ROOT_CONTEXT : under(run, spanId)), span);
    },
    // A collector that is away costs spans, and nothing else.
    close: () => provider.shutdown().catch(() => {}),
  };
}

function ended(span: Span, { end, errorType }: { end: number | undefined; errorType?: string | undefined }): void {
  if (errorType !== undefined) {
    span.setAttribute('error.type', errorType);
    // No message: it may quote what was asked or answered.
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(end);
}

/** Random ids, except for the ones of the next span where they are given. */
class GivenIds implements IdGenerator {
  traceId: string | undefined;
  spanId: string | undefined;
  readonly #random = new RandomIdGenerator();

  generateTraceId(): string {
    const given = this.traceId;
    this.traceId = undefined;
    return given ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    const given = this.spanId;
    this.spanId = undefined;
    return given ?? this.#random.generateSpanId();
  }
}

/** The sampler that `OTEL_TRACES_SAMPLER` names. @throws `VariableError` if there is no such sampler */
function samplerOf(share: number, name = ''): Sampler {
  const ratio = new TraceIdRatioBasedSampler(share);
  const samplers: Record<string, Sampler> = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: ratio,
    parentbased_always_on: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    parentbased_always_off: new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: new ParentBasedSampler({ root: ratio }),
  };
  const sampler = samplers[name || 'parentbased_always_on'];
  if (sampler !== undefined) return sampler;
  throw new VariableError(`OTEL_TRACES_SAMPLER is ${name}; there are ${Object.keys(samplers).join(', ')}`);
}

/** Passes on what the SDK complains about, but not with each batch that a collector which is away does not take. */
function warnSparsely(warn: (text: string) => void): void {
  let warnedAt = -Infinity;
  const say = (): void => {
    if (performance.now() - warnedAt < 60_000) return;
    warnedAt = performance.now();
    warn('Traces cannot be sent for now, and are dropped; see OTEL_EXPORTER_OTLP_ENDPOINT');
  };
  const nothing = (): void => {};
  diag.setLogger({ error: say, warn: nothing, info: nothing, debug: nothing, verbose: nothing }, DiagLogLevel.ERROR);
}
