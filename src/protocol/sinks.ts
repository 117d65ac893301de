import type { Sinks } from '@temporalio/workflow';
import type { Caller } from './agent-state.ts';
import type { RunEvent } from './events.ts';

/** Of one or more lines. A `stamped` entry is printed with its time. */
export interface LogEntry {
  text: string;
  stamped: boolean;
}

/**
 * What is counted. `restart`: work begins anew, `why` by the request of `final_agent` or `person`, by a research's
 * `RestartKind`, or since subtasks have `failed`, are a `dead_end` or are `missing`. `waited`: a person was waited for.
 */
export type Happening =
  | { type: 'restart'; why: string }
  | { type: 'waited'; for: 'question' | 'key' | 'tool' | 'approval'; how: string };

export interface AgentSpan extends Caller {
  /** When its first call was scheduled, and when its last one had ended. */
  start: number;
  end: number;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

/** How a run has ended. `outcome` is that of its result; a run that has failed has the type of its failure instead. */
export type RunSpan = { end: number } & ({ outcome: string } | { errorType: string });

/** What workflows tell the worker that runs them. */
export interface RunSinks extends Sinks {
  run: {
    /** Writes to the log file. @param at ISO 8601 time of the event behind the entry, and `type` its type */
    say(entry: LogEntry, at: string, type: RunEvent['type']): void;
  };
  /** What traces and metrics are made of (`telemetry/run-spans.ts`). Times are milliseconds since the epoch. */
  telemetry: {
    agentEnded(agent: AgentSpan, traceparent: string | undefined): void;
    runEnded(run: RunSpan, traceparent: string | undefined): void;
    /** A call was paid for. @param cost in US dollars */
    spent(model: string, cost: number): void;
    happened(what: Happening): void;
  };
  /** Keeps user code that never ends from blocking the worker; see `workflows/custom-code/guard.ts`. */
  watch: {
    /**
     * Code from this file may run from now on.
     *
     * @param instance stays the same while the workflow stays in memory; another value means that it was started again
     */
    entered(file: string, instance: number): void;
    /** The code waits or has ended. @param isDone whether all its work has ended */
    rested(isDone: boolean): void;
  };
}
