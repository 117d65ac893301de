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

/** Tells the person something on standard error, since standard output is for answers. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints an answer, and waits until it is written: a pipe may take it only after the process would have ended. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
