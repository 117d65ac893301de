import type { Attributes, SpanKind } from '@opentelemetry/api';
import type { InjectedSinks } from '@temporalio/worker';
import type { RunSinks } from '../protocol/sinks.ts';
import { usageOf } from './calls.ts';
import type { Metrics } from './metrics.ts';
import type { Tracing } from './open-tracing.ts';

const internal = 0 as SpanKind;

/** Makes spans of runs and of what agents do in their rounds, and counts what runs tell. A replay tells nothing again. */
export function telemetrySink(
  metrics: Metrics,
  tracing: () => Tracing | undefined,
): Pick<InjectedSinks<RunSinks>, 'telemetry'> {
  return {
    telemetry: {
      agentEnded: {
        fn({ runId, workflowId }, { agent, attempt, calls, costUsd, end, round, start, ...usage }, traceparent) {
          tracing()?.agent(
            { runId, traceparent },
            { agent, round },
            {
              name: `invoke_agent ${agent}`,
              kind: internal,
              start,
              end: Math.max(start, end),
              attributes: {
                'gen_ai.operation.name': 'invoke_agent',
                'gen_ai.agent.name': agent,
                'gen_ai.conversation.id': workflowId,
                ...usageOf(usage, costUsd),
                'reprise.attempt': attempt,
                'reprise.calls': calls,
              },
            },
          );
        },
      },
      runEnded: {
        fn({ runId, runStartTime, workflowId, workflowType }, { end, ...how }, traceparent) {
          const outcome = 'outcome' in how ? how.outcome : 'failed';
          const errorType = 'errorType' in how ? how.errorType : undefined;
          const start = runStartTime.getTime();
          const tags = { 'gen_ai.workflow.name': workflowType, 'reprise.outcome': outcome };
          tracing()?.run(
            { runId, traceparent },
            {
              name: `invoke_workflow ${workflowType}`,
              kind: internal,
              start,
              end: Math.max(start, end),
              errorType,
              attributes: {
                'gen_ai.operation.name': 'invoke_workflow',
                ...tags,
                'gen_ai.conversation.id': workflowId,
                temporalWorkflowId: workflowId,
                run_id: runId,
              } satisfies Attributes,
            },
          );
          if (outcome === 'continued') return;
          metrics.count('reprise.runs.ended', { ...tags, ...(errorType !== undefined && { 'error.type': errorType }) });
          metrics.record('gen_ai.workflow.duration', (end - start) / 1000, tags);
        },
      },
      spent: {
        fn({ workflowType }, model, cost) {
          const tags = { 'gen_ai.workflow.name': workflowType, 'gen_ai.request.model': model };
          metrics.record('reprise.cost.usd', cost, tags);
        },
      },
      happened: {
        fn({ workflowType }, what) {
          const tags = { 'gen_ai.workflow.name': workflowType };
          if (what.type === 'restart') metrics.count('reprise.restarts', { ...tags, 'reprise.reason': what.why });
          else {
            const { for: awaited, how } = what;
            metrics.count('reprise.waits.ended', { ...tags, 'reprise.wait.for': awaited, 'reprise.wait.end': how });
          }
        },
      },
    },
  };
}
