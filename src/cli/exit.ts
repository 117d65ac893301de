export const exitStatus = { done: 0, failed: 1, usage: 2, unreachable: 3, interrupted: 130 } as const;

export const exitStatusText =
  'Exit status: 0 done, 1 the run failed, 2 wrong usage or configuration, 3 cannot reach Temporal, 130 interrupted.\n';

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

/** The person has ended the command, and all that there is to say about it has been said. */
export class Interruption extends Error {
  override name = 'Interruption';
}

/** A value as JSON, in which the control characters and overrides that JSON itself lets pass are escaped as well. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    // oxlint-disable-next-line no-control-regex
    /[\x7F-\x9F\u202A-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
