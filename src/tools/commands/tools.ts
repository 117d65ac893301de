import { z } from 'zod';
import { textOf, type CommandMode, type Commands } from './commands.ts';
import { readDefinitions } from '../read-definitions.ts';
import type { Tool, ToolContext, ToolDefinition } from '../tool.ts';

/** In seconds. */
const mostTime = 600;

const parameters = z.object({
  command: z.string().min(1).max(100_000).describe('For the shell sh; its working folder has your files'),
  timeout: z.int().min(1).max(mostTime).default(120).describe('After how many seconds it is ended'),
});

const how = {
  docker: 'It runs in a container',
  local: 'It runs on the machine of the worker',
};

/** The built-in packages of commands by their names, `builtin.command` for containers. Each has the tool `run_command`. */
export const commandPackages: Record<string, CommandMode> = {
  'builtin.command': 'docker',
  'builtin.command.local': 'local',
};

/** @throws `SourceError` if commands cannot run here in this way */
export async function commandTools(commands: Commands, mode: CommandMode): Promise<Tool[]> {
  await commands.check(mode);
  return readDefinitions([commandTool(commands, mode)]).tools;
}

function commandTool(commands: Commands, mode: CommandMode): ToolDefinition {
  const isBoxed = mode === 'docker' && !commands.hasNetwork;
  return {
    name: 'run_command',
    description:
      `Runs a command and returns what it prints and its exit code. ${how[mode]}${isBoxed ? ', without a network' : ''}, ` +
      'in a folder that has your files; what it changes there is kept, also if it fails. Nothing else stays: programs in ' +
      'the background end with it, and there is nobody to type for it.',
    parameters,
    // Without a network it reaches nothing but the files, and starts from the same ones each time.
    sideEffects: isBoxed ? 'idempotent' : true,
    workspace: 'writes',
    // With time for the files before and after.
    timeout: mostTime + 120,
    async execute({ command, timeout }: z.output<typeof parameters>, context: ToolContext): Promise<string> {
      const { agentId, progress, signal, workflowId, workspace } = context;
      if (workspace === undefined) throw new Error('run_command was called without a workspace');
      const agent = `${workflowId}/${agentId}`;
      const end = await commands.run(mode, {
        command,
        timeout,
        agent,
        workspace,
        signal,
        onOutput: (tail, bytes) => progress?.(tail, bytes),
      });
      const left = end.leftOut.map((each) => `[not kept: ${each}]`);
      return [textOf(end), ...left].join('\n');
    },
  };
}
