import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '../../util/environment.ts';
import type { Backend } from '../../protocol/settings.ts';

/** Whether the worker's owner has allowed that agents run commands as this user, by `REPRISE_ALLOW_COMMANDS`. */
export const allowsLocal = ({ REPRISE_ALLOW_COMMANDS: allowed }: Environment): boolean => allowed === 'local';

export const notAllowed =
  'commands may not run on this machine itself (command_line_execution_mode: local); set REPRISE_ALLOW_COMMANDS=local ' +
  'for the worker to let agents do all that its user can do, or use the mode docker';

/** The built-in packages of the tool `run_command`, by where commands run. */
const packageOf = { docker: 'builtin.command', local: 'builtin.command.local' };

export function withCommands(packages: string[], backend: Backend): string[] {
  const { command_line_execution_mode: mode = 'docker', enable_mcp_command_line: isEnabled } = backend;
  return isEnabled ? [...new Set([...packages, packageOf[mode]])] : packages;
}

/** What would keep agents from running commands, as far as that shows without asking an engine. @param packages by agents */
export function preflightCommands(packages: Record<string, string[]>, environment: Environment): string[] {
  return Object.entries(packages).flatMap(([owner, names]) => {
    if (names.includes(packageOf.local) && !allowsLocal(environment)) return [`${owner}: ${notAllowed}`];
    if (names.includes(packageOf.docker) && !isOnPath('docker', environment)) return [`${owner}: ${noDocker}`];
    return [];
  });
}

const noDocker =
  'commands run in containers, and there is no program "docker" on the PATH; install Docker, or see docs/commands.md';

function isOnPath(program: string, { PATH = '' }: Environment): boolean {
  return PATH.split(delimiter).some((folder) =>
    ['', '.exe'].some((ending) => {
      try {
        accessSync(join(folder, program + ending), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }),
  );
}
