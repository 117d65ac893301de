import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { traceHeader } from '../protocol/headers.ts';

/** Where `@opentelemetry/api` keeps what a process has registered, whichever copy of it that was. */
const registered = Symbol.for('opentelemetry.js.api.1');

/**
 * Makes a span of each start of a run where the process has OpenTelemetry, and hands its trace to the run, which becomes
 * part of it. Elsewhere nothing is loaded and nothing is sent.
 */
export const tracedStarts: WorkflowClientInterceptor = {
  startWithDetails: (input, next) =>
    traced(input.workflowType, input.options.workflowId, (headers) =>
      next({ ...input, headers: { ...input.headers, ...headers } }),
    ),
  startUpdateWithStart: (input, next) =>
    traced(input.workflowType, input.workflowStartOptions.workflowId, (headers) =>
      next({ ...input, workflowStartHeaders: { ...input.workflowStartHeaders, ...headers } }),
    ),
};

async function traced<T>(type: string, workflowId: string, start: (headers: Headers) => Promise<T>): Promise<T> {
  if (!(registered in globalThis)) return start({});
  const { context, propagation, SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api');
  // Named as Temporal's own interceptors do.
  const attributes = { temporalWorkflowId: workflowId };
  const span = trace.getTracer('reprise').startSpan(`StartWorkflow:${type}`, { kind: SpanKind.CLIENT, attributes });
  const carrier: Record<string, string> = {};
  propagation.inject(trace.setSpan(context.active(), span), carrier);
  try {
    return await start(carrier['traceparent'] ? { [traceHeader]: defaultPayloadConverter.toPayload(carrier) } : {});
  } catch (error) {
    span.setAttribute('error.type', error instanceof Error ? error.name : '_OTHER');
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
