import type { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure, defaultPayloadConverter } from '@temporalio/common';
import type {
  ActivityExecuteInput,
  ActivityInboundCallsInterceptor,
  ActivityInterceptorsFactory,
} from '@temporalio/worker';
import type { Environment } from '../util/environment.ts';
import type { Caller } from '../protocol/agent-state.ts';
import { traceHeader } from '../protocol/headers.ts';
import type { PriceTable } from '../protocol/usage.ts';
import { attributesOf, type Call, callOf, toolCall } from './calls.ts';
import type { Metrics } from './metrics.ts';
import type { OpenSpan, Tracing } from './open-tracing.ts';

interface Given {
  metrics: Metrics;
  /** Undefined where no spans are exported. It is asked at each call. */
  tracing: () => Tracing | undefined;
  /** The types of activities that it is for; a user's own worker may have others. */
  activityTypes: readonly string[];
  prices: PriceTable;
  environment: Environment;
}

/** Makes a span of each try of an activity, and records its metrics. */
export function activityInterceptor(given: Given): ActivityInterceptorsFactory {
  const { activityTypes, environment, metrics, prices, tracing } = given;
  return (context) => {
    const { activityType, attempt } = context.info;
    if (!activityTypes.includes(activityType)) return {};
    const tags = { 'reprise.activity': activityType };
    const inbound: ActivityInboundCallsInterceptor = {
      async execute(input, next) {
        const call = callOf(activityType, input.args[0], prices, environment);
        const span = startSpan(tracing(), context, input, call);
        if (attempt > 1) metrics.count('reprise.activity.retries', tags);
        const began = performance.now();
        let result: unknown;
        let errorType: string | undefined;
        try {
          return (result = await next(input));
        } catch (error) {
          errorType = errorTypeOf(error);
          throw error;
        } finally {
          const attributes = attributesOf(context);
          const failed = errorType ?? call.failed?.(result);
          const { quickRuns = [] } = attributes;
          // A model's call is over when its tools begin, which have spans beside it.
          const end = Math.min(Date.now(), ...quickRuns.map(({ start }) => start));
          const seconds = (performance.now() - began - (Date.now() - end)) / 1000;
          span?.end(call.ended(attributes, result), failed, quickRuns.length > 0 ? end : undefined);
          for (const run of quickRuns) {
            const tool = toolCall(run.tool);
            const toolFailed = tool.failed?.(run);
            startSpan(tracing(), context, input, tool, run.start)?.end({}, toolFailed, run.end);
            tool.measured(metrics, (run.end - run.start) / 1000, {}, toolFailed);
          }
          const isLeft = errorType === 'cancelled' || errorType === 'MissingKey';
          if (errorType !== undefined && !isLeft)
            metrics.count('reprise.activity.failures', { ...tags, 'error.type': errorType });
          if (attributes.journalHit) metrics.count('reprise.journal.hits', tags);
          else call.measured(metrics, seconds, attributes, failed);
          if (attributes.storeOutOfOrder !== undefined)
            metrics.record('reprise.store.out_of_order', attributes.storeOutOfOrder);
        }
      },
    };
    return { inbound };
  };
}

function startSpan(
  tracing: Tracing | undefined,
  { info }: Context,
  { args, headers }: ActivityExecuteInput,
  { attributes, kind, name }: Call,
  start?: number,
): OpenSpan | undefined {
  const { activityId, attempt, workflowExecution } = info;
  if (tracing === undefined || workflowExecution === undefined) return undefined;
  const { runId, workflowId } = workflowExecution;
  const header = headers[traceHeader];
  const { traceparent } = header ? defaultPayloadConverter.fromPayload<{ traceparent?: string }>(header) : {};
  const { caller } = (args[0] ?? {}) as { caller?: Caller };
  return tracing.call({ runId, traceparent }, caller, {
    name,
    kind,
    ...(start !== undefined && { start }),
    attributes: {
      ...attributes,
      'gen_ai.conversation.id': workflowId,
      ...(caller !== undefined && { 'gen_ai.agent.name': caller.agent, 'reprise.attempt': caller.attempt }),
      'reprise.try': attempt,
      // As Temporal's own interceptors name them.
      temporalWorkflowId: workflowId,
      run_id: runId,
      temporalActivityId: activityId,
    },
  });
}

/** A name for a failure, of which there are few. */
function errorTypeOf(error: unknown): string {
  if (error instanceof CancelledFailure) return 'cancelled';
  if (error instanceof ApplicationFailure && error.type) return error.type;
  return error instanceof Error ? error.name : '_OTHER';
}
