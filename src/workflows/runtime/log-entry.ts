import type { RunEvent } from '../../protocol/events.ts';
import type { LogEntry } from '../../protocol/sinks.ts';

/** For each type of event, what the log says of it. */
export type LogLines<Body extends { type: string }> = {
  [Type in Body['type']]: (event: Extract<Body, { type: Type }> & Pick<RunEvent, 'attempt'>) => LogEntry[];
};

export const line = (text: string): LogEntry => ({ text, stamped: true });

export const banner = (text: string): LogEntry => ({ text, stamped: false });
