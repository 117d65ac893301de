import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type Tracer,
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
import { version } from '../util/version.ts';
import { resourceOf, type TelemetrySettings } from './settings.ts';
import {
  agentSpanId,
  parsedTraceparent,
  runSpanId,
  traceIdOf,
  type EndedSpan,
  type OpenSpan,
  type SpanOptions,
  type Tracing,
} from './tracing.ts';

/**
 * Opens the export of spans by OTLP. Loading this module loads OpenTelemetry's SDK, so it is imported only where the
 * variables ask for spans.
 *
 * @param warn is told when spans cannot be sent, at most once a minute
 */
export function openTracing(
  to: NonNullable<TelemetrySettings['traces']>,
  variables: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): Tracing & { tracer: Tracer } {
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
  const traceOf = (runId: string, traceparent: string | undefined) => {
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
  const under = (runId: string, traceparent: string | undefined, spanId: string): Context => {
    const { traceFlags, traceId } = traceOf(runId, traceparent);
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  };

  return {
    tracer,
    call({ runId, traceparent }, agent, options) {
      const parent = agent === undefined ? runSpanId(runId) : agentSpanId(runId, agent);
      return opened(start(undefined, options, under(runId, traceparent, parent)));
    },
    agent({ runId, traceparent }, agent, span) {
      const parent = under(runId, traceparent, runSpanId(runId));
      ended(start(agentSpanId(runId, agent), span, parent), span);
    },
    run({ runId, traceparent }, span) {
      const { traceId, spanId, traceFlags } = traceOf(runId, traceparent);
      if (spanId === undefined) ids.traceId = traceId;
      const parent =
        spanId === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
      ended(start(runSpanId(runId), span, parent), span);
    },
    close: () => provider.shutdown(),
  };
}

const opened = (span: Span): OpenSpan => ({
  end(attributes, errorType, at) {
    span.setAttributes(attributes);
    ended(span, { errorType, ...(at !== undefined && { end: at }) });
  },
});

function ended(span: Span, { end, errorType }: Pick<Partial<EndedSpan>, 'end' | 'errorType'>): void {
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

/** The sampler that `OTEL_TRACES_SAMPLER` names. @throws `Error` if there is no such sampler */
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
  throw new Error(`OTEL_TRACES_SAMPLER is ${name}; there are ${Object.keys(samplers).join(', ')}`);
}

const warnEveryMs = 60_000;

/** Passes on what the SDK complains about, but not with each batch that a collector which is away does not take. */
function warnSparsely(warn: (text: string) => void): void {
  let warnedAt = -Infinity;
  const say = (): void => {
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    warn('Traces cannot be sent for now, and are dropped; see OTEL_EXPORTER_OTLP_ENDPOINT');
  };
  const nothing = (): void => {};
  diag.setLogger({ error: say, warn: nothing, info: nothing, debug: nothing, verbose: nothing }, DiagLogLevel.ERROR);
}
