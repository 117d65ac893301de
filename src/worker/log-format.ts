import { printable } from '../util/text/printable.ts';
import { VariableError, type Environment } from '../util/environment.ts';

const formats = ['text', 'json'] as const;

/** How logs are written: in lines for people, or in lines of JSON for a program that collects them. */
export type LogFormat = (typeof formats)[number];

/** The format that `REPRISE_LOG_FORMAT` names; `text` where it is not set. @throws `VariableError` where there is no such format */
export function logFormat({ REPRISE_LOG_FORMAT: named = 'text' }: Environment): LogFormat {
  const found = formats.find((format) => format === named);
  if (found === undefined) throw new VariableError(`REPRISE_LOG_FORMAT is "${named}"; it must be "text" or "json"`);
  return found;
}

/** One line of a log in JSON. What concerns a run has its `workflowId`, its `runId` and the `type` of its workflow. */
export const jsonLine = (entry: {
  /** ISO 8601, in UTC. */
  time: string;
  level: string;
  message: string;
  [key: string]: unknown;
}): string =>
  `${JSON.stringify(entry, (_, value: unknown) => (typeof value === 'string' ? printable(value) : value))}\n`;
