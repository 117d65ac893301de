import type { RunEvent } from '../../protocol/events.ts';
import type { LogEntry } from '../../protocol/sinks.ts';

/** What the log says of each of some events, by their types. */
export type LogLines<Body extends { type: string }> = {
  [Type in Body['type']]: (event: Extract<Body, { type: Type }> & Pick<RunEvent, 'attempt'>) => LogEntry[];
};

/** A line with a time. */
export const line = (text: string): LogEntry => ({ text, stamped: true });

/** A block without a time. */
export const banner = (text: string): LogEntry => ({ text, stamped: false });
