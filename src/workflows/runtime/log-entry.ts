import type { RunEvent } from '../../protocol/events.ts';
import type { LogEntry } from '../../protocol/sinks.ts';

/** For each type of event, what the log says of it. */
export type LogLines<Body extends { type: string }> = {
  [Type in Body['type']]: (event: Extract<Body, { type: Type }> & Pick<RunEvent, 'attempt'>) => LogEntry[];
};

/** An entry that is printed with its time. */
export const line = (text: string): LogEntry => ({ text, stamped: true });

/** An entry that is printed without its time. */
export const banner = (text: string): LogEntry => ({ text, stamped: false });
