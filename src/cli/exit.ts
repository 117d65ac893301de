import { printable } from '../printable.ts';
import { jsonLine, type LogFormat } from '../worker/log-format.ts';

/** Exit statuses of all commands. */
export const exitStatus = { done: 0, failed: 1, usage: 2, unreachable: 3, interrupted: 130 } as const;

/** A failure whose message tells the person everything; `status` is the exit status of the command. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly status: number;

  constructor(message: string, status: number = exitStatus.failed) {
    super(message);
    this.status = status;
  }
}

export const usageError = (message: string): CommandError => new CommandError(message, exitStatus.usage);

let format: LogFormat = 'text';

/** Has what this process says from now on written as a log of this format, as a program that serves does. */
export function sayAs(wanted: LogFormat): void {
  format = wanted;
}

/**
 * Tells the person something on standard error, since standard output is for answers. What would steer the terminal is
 * taken out, since it may come from a model, a provider or a file.
 */
export function say(text: string, level: 'INFO' | 'ERROR' = 'INFO'): void {
  const message = printable(text);
  process.stderr.write(
    format === 'json' ? jsonLine({ time: new Date().toISOString(), level, message }) : `${message}\n`,
  );
}

/** Prints an answer, and waits until it is written: a pipe may take it only after the process would have ended. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Prints what a model or a file says. A file or another program gets it to the letter; a terminal gets it without what
 * would steer the terminal.
 */
export const printText = (text: string): Promise<void> => print(process.stdout.isTTY ? printable(text) : text);

/** Prints a value as JSON in one line, in which all that could steer a terminal is escaped. */
export const printJson = (value: unknown): Promise<void> => print(jsonText(value));

/** A value as JSON, in which the control characters and overrides that JSON itself lets pass are escaped as well. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    // oxlint-disable-next-line no-control-regex
    /[\x7F-\x9F\u202A-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
