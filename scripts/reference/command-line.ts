import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { Shell } from '../../src/cli/shell.ts';

const intro = `# Every command and its options

What \`reprise COMMAND --help\` prints. [The command line](../command-line.md) says what to do with it.`;

/** The help text of each command that is not hidden. */
export function commandLinePage(): string {
  const stdout = new PassThrough();
  const shell = new Shell({ stdin: process.stdin, stdout, stderr: stdout, env: {}, cwd: '.' });
  const program = buildProgram(shell);
  const commands = program.createHelp().visibleCommands(program);
  // What every command has is said once, with the list of commands.
  for (const command of commands) command.configureHelp({ showGlobalOptions: false });
  return `${[intro, ...[program, ...commands.filter((each) => each.name() !== 'help')].map(section)].join('\n\n')}\n`;
}

function section(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ getOutHelpWidth: () => 100, writeOut: (text) => parts.push(text) });
  command.outputHelp();
  const name = command.parent === null ? 'reprise' : `reprise ${command.name()}`;
  return `## ${name}\n\n\`\`\`text\n${parts.join('').trim()}\n\`\`\``;
}
