import type { Sinks } from '@temporalio/workflow';
import type { RunEvent } from './events.ts';

/** One entry of the log, of one or more lines. A `stamped` entry is printed with its time. */
export interface LogEntry {
  text: string;
  stamped: boolean;
}

/** What workflows tell the worker that runs them. */
export interface RunSinks extends Sinks {
  run: {
    /** Writes to the log file. @param at ISO 8601 time of the event behind the entry, and `type` its type */
    say(entry: LogEntry, at: string, type: RunEvent['type']): void;
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
