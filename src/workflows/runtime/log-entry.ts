import type { RunEvent } from '../../protocol/events.ts';
import type { LogEntry } from '../../protocol/sinks.ts';

/** For each type of event, what the log says of it; a text is one line. */
export type LogLines<Body extends { type: string }> = {
  [Type in Body['type']]: (event: Extract<Body, { type: Type }> & Pick<RunEvent, 'attempt'>) => LogEntry[] | string;
};

export const line = (text: string): LogEntry => ({ text, stamped: true });

export const banner = (text: string): LogEntry => ({ text, stamped: false });
