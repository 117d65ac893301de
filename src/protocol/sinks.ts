import type { Sinks } from '@temporalio/workflow';

/** One entry of the log: `stamped` ones carry a time, the others are blocks of their own. May span lines. */
export interface LogEntry {
  text: string;
  stamped: boolean;
}

/** What workflows say to the worker that runs them. */
export interface RunSinks extends Sinks {
  run: {
    /** For the log file. @param at ISO 8601 time of the event that the entry tells of */
    say(entry: LogEntry, at: string): void;
  };
  /** What keeps a file of the user's own from holding up the worker: see `workflows/custom-code/guard.ts`. */
  watch: {
    /**
     * Code of this file may run now.
     *
     * @param instance the same for as long as the workflow stays in memory: another one means that it was begun again
     */
    entered(file: string, instance: number): void;
    /** It has come to rest. @param isDone whether it does not run again for now */
    rested(isDone: boolean): void;
  };
}
