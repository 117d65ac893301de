import { defaultPayloadConverter, type ApplicationFailure, type Payload } from '@temporalio/common';
import { isCancellation, proxySinks, type WorkflowInterceptors } from '@temporalio/workflow';
import type { Caller } from '../../protocol/agent-state.ts';
import { traceHeader } from '../../protocol/headers.ts';
import type { RunEvent, RunEventBody } from '../../protocol/events.ts';
import type { TokenUsage } from '../../protocol/message.ts';
import type { AgentSpan, Happening, RunSinks } from '../../protocol/sinks.ts';
import { perRun } from './per-run.ts';

const { telemetry } = proxySinks<RunSinks>();

const own = perRun(() => ({
  /** The trace that the run was started in, as its header; undefined where whoever started it has none. */
  header: undefined as Payload | undefined,
  attempt: 0,
  round: 0,
  /** What the agents have done in the present round. `underWay`: their calls that have not ended. */
  agents: new Map<string, AgentSpan & { underWay: number }>(),
}));

/** Something begins that has spans of its own: an attempt, an iteration, a round of subtasks, a turn. */
export function beginRound(number: number): void {
  endRound();
  const run = own();
  run.attempt = number;
  run.round += 1;
}

/** Ends the spans of the agents, so that they do not last until a session's next turn. */
export function endRound(): void {
  const { agents } = own();
  for (const { underWay, ...agent } of agents.values()) {
    telemetry.agentEnded({ ...agent, end: underWay > 0 ? Date.now() : agent.end }, traceparent());
  }
  agents.clear();
}

export function callerOf(agent: string): Caller {
  const { attempt, round } = own();
  return { agent, attempt, round };
}

/** Tells what a call has cost. @param cost in US dollars */
export function spent(agent: string, model: string | undefined, usage: TokenUsage, cost: number): void {
  const span = own().agents.get(agent);
  if (span !== undefined) {
    span.inputTokens += usage.inputTokens;
    span.outputTokens += usage.outputTokens;
    span.costUsd += cost;
  }
  if (cost > 0) telemetry.spent(model ?? '', cost);
}

/** What is counted, by the types of its events. */
const happenings: { [Type in RunEvent['type']]?: (event: Extract<RunEventBody, { type: Type }>) => Happening } = {
  restart: ({ by }) => ({ type: 'restart', why: by }),
  planning_restart: ({ kind }) => ({ type: 'restart', why: kind }),
  retry_round: () => ({ type: 'restart', why: 'failed' }),
  plan_around_round: () => ({ type: 'restart', why: 'dead_end' }),
  new_plan_round: () => ({ type: 'restart', why: 'missing' }),
  question_closed: ({ how }) => ({ type: 'waited', for: 'question', how }),
  key_closed: ({ how }) => ({ type: 'waited', for: 'key', how }),
  approval_resolved: ({ how }) => ({ type: 'waited', for: 'tool', how }),
  decided: ({ action }) => ({ type: 'waited', for: 'approval', how: action }),
};

/** Tells of an event, if it is one that is counted. */
export function count(event: RunEvent): void {
  const happeningOf = happenings[event.type] as ((event: RunEvent) => Happening) | undefined;
  if (happeningOf !== undefined) telemetry.happened(happeningOf(event));
}

/**
 * Temporal calls this for each workflow, since the worker bundles the module as an interceptor. It hands the run's trace on
 * to its activities, and tells when agents and the run have ended. Whether anybody listens is the worker's affair: a
 * history and its replay are the same either way. No function here may be async, and what `next` returns is returned as it
 * is: a promise more would let the workflow's code go on in another order, which a replay would notice.
 */
export function interceptors(): WorkflowInterceptors {
  return {
    inbound: [
      {
        execute(input, next) {
          own().header = input.headers[traceHeader];
          const result = next(input);
          result.then(
            (value) => runEnded({ outcome: (value as { outcome?: string } | undefined)?.outcome ?? 'completed' }),
            (error: unknown) => runEnded(endOf(error)),
          );
          return result;
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => called(input.args, next(handedOn(input))),
        continueAsNew: (input, next) => next(handedOn(input)),
      },
    ],
  };
}

function endOf(error: unknown): RunEnd {
  if (isCancellation(error)) return { outcome: 'cancelled' };
  const { name, type } = error as ApplicationFailure;
  return name === 'ContinueAsNew' ? { outcome: 'continued' } : { errorType: type ?? name };
}

type RunEnd = { outcome: string } | { errorType: string };

function runEnded(end: RunEnd): void {
  endRound();
  telemetry.runEnded({ ...end, end: Date.now() }, traceparent());
}

function handedOn<I extends { headers: Record<string, Payload> }>(input: I): I {
  const { header } = own();
  return header === undefined ? input : { ...input, headers: { ...input.headers, [traceHeader]: header } };
}

function called<T>([input]: unknown[], result: Promise<T>): Promise<T> {
  const { caller } = (input ?? {}) as { caller?: Caller };
  if (caller === undefined) return result;
  const { agent, attempt, round } = caller;
  const { agents } = own();
  const start = Date.now();
  const none = { start, end: start, calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, underWay: 0 };
  const span = agents.get(agent) ?? { agent, attempt, round, ...none };
  agents.set(agent, span);
  span.calls += 1;
  span.underWay += 1;
  const ended = (): void => {
    span.end = Date.now();
    span.underWay -= 1;
  };
  result.then(ended, ended);
  return result;
}

function traceparent(): string | undefined {
  const { header } = own();
  if (header === undefined) return undefined;
  return defaultPayloadConverter.fromPayload<{ traceparent?: string }>(header).traceparent;
}
