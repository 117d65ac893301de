import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { CommandError, exitStatus, Interruption } from './exit.ts';
import { buildProgram } from './program.ts';
import { Shell, type Output, type Surroundings } from './shell.ts';

/**
 * Carries out a command line. It uses nothing of the process but what it is given; `up` and `worker` install Temporal's
 * runtime for the whole process besides, and read some variables of it.
 *
 * @param words those after `reprise`
 * @returns its exit status, when all is written and closed
 */
export async function run(words: string[], surroundings: Surroundings): Promise<number> {
  const shell = new Shell(surroundings);
  const status = await statusOf(words, shell);
  await Promise.all([written(shell.stdout), written(shell.stderr)]);
  return status;
}

async function statusOf(words: string[], shell: Shell): Promise<number> {
  try {
    await buildProgram(shell).parseAsync(words, { from: 'user' });
    return exitStatus.done;
  } catch (error) {
    if (error instanceof Interruption) return exitStatus.interrupted;
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitStatus.done : exitStatus.usage;
    const failure = error instanceof CommandError ? error : (await import('./failures.ts')).asCommandError(error);
    shell.say(failure instanceof CommandError ? failure.message : inspect(failure), 'ERROR');
    return failure instanceof CommandError ? failure.status : exitStatus.failed;
  }
}

/** Waits until a stream has passed on what was written to it; one whose reader has gone never will. */
const written = (stream: Output): Promise<void> => new Promise((resolve) => void stream.write('', () => resolve()));
