import { inspect } from 'node:util';
import { CommanderError, type Command } from 'commander';
import { CommandError, exitStatus, say } from './exit.ts';
import { buildProgram } from './program.ts';

/** Makes a command and all commands below it throw where commander would exit. */
function throwing(command: Command): Command {
  command.exitOverride();
  command.commands.forEach(throwing);
  return command;
}

/** Carries out a command line, the words after `reprise`. @returns its exit status */
export async function main(words: string[]): Promise<number> {
  try {
    await throwing(buildProgram()).parseAsync(words, { from: 'user' });
    return exitStatus.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitStatus.done : exitStatus.usage;
    const failure = error instanceof CommandError ? error : (await import('./failures.ts')).asCommandError(error);
    say(failure instanceof CommandError ? failure.message : inspect(failure), 'ERROR');
    return failure instanceof CommandError ? failure.status : exitStatus.failed;
  }
}
