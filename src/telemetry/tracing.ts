import { createHash } from 'node:crypto';
import type { Attributes, SpanKind } from '@opentelemetry/api';

export interface OpenSpan {
  /** @param errorType of its failure; undefined if it succeeded @param at in milliseconds since the epoch; absent: now */
  end(attributes: Attributes, errorType: string | undefined, at?: number): void;
}

export interface SpanOptions {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** In milliseconds since the epoch; absent: now. */
  start?: number;
}

/** A span that is over. Times are milliseconds since the epoch. */
export interface EndedSpan extends SpanOptions {
  start: number;
  end: number;
  /** Of the failure that it ended with; undefined if it succeeded. */
  errorType?: string | undefined;
}

/** The spans of runs. Each run is one trace, whose ids follow from the run's id, so that all workers know them. */
export interface Tracing {
  /** A span below the run's, or below that of an agent in one of its rounds. */
  call(run: RunTrace, agent: AgentRound | undefined, options: SpanOptions): OpenSpan;
  /** The span of an agent in one round. */
  agent(run: RunTrace, agent: AgentRound, span: EndedSpan): void;
  run(run: RunTrace, span: EndedSpan): void;
  /** Sends what has not been sent. */
  close(): Promise<void>;
}

/** What the trace of a run is found by. */
export interface RunTrace {
  runId: string;
  /** The W3C trace context of whoever started the run; undefined where it has none. */
  traceparent: string | undefined;
}

export interface AgentRound {
  agent: string;
  round: number;
}

/** The ids of a trace and of spans that several workers must know without asking each other. */
export const traceIdOf = (runId: string): string => hashOf('trace', runId).slice(0, 32);
export const runSpanId = (runId: string): string => hashOf('run', runId).slice(0, 16);
export const agentSpanId = (runId: string, { agent, round }: AgentRound): string =>
  hashOf('agent', runId, String(round), agent).slice(0, 16);

const hashOf = (...parts: string[]): string => createHash('sha256').update(parts.join('\n')).digest('hex');

/** The ids and flags of a W3C trace context; undefined if it is none. */
export function parsedTraceparent(text: string | undefined) {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
