import type { Sinks } from '@temporalio/workflow';
import type { LogEntry } from '../messages/lines.ts';

/** What workflows say to the worker that runs them; the worker appends it to the log file. */
export interface RunSinks extends Sinks {
  run: {
    /** @param at ISO 8601 time of the event that the entry tells of */
    say(entry: LogEntry, at: string): void;
  };
}
