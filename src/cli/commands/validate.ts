import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Role } from '../../config/kind.ts';
import { checkConfig, ignoredKeys, partsOf } from '../../config/kinds.ts';
import { isFolder } from '../../util/folders.ts';
import { ToolModules } from '../../tools/modules.ts';
import { SourceError } from '../../tools/tool.ts';
import { inspectConfig, readFile } from '../checked-config.ts';
import type { Shell } from '../shell.ts';

/** `reprise validate FILE`: checks a configuration. Needs no keys: a missing one is only a warning here. */
export async function validate(shell: Shell, file: string): Promise<void> {
  const config = readFile(shell, file, checkConfig);
  const folder = dirname(shell.path(file));
  const { missing, roles, text, warnings } = inspectConfig(shell, config, folder);
  for (const warning of [...missing, ...unfound(roles, folder), ...warnings]) shell.say(`Warning: ${warning}`);
  for (const notice of ignoredKeys(...partsOf(config))) shell.say(notice);
  await shell.printText(`${file} is valid.\n${text}`);
}

/** What roles name, each once, and a worker with this folder of extensions would not find. No module is loaded. */
function unfound(roles: Role[], folder: string): string[] {
  const modules = new ToolModules(folder);
  const problems = roles.flatMap(({ backend, orchestrator, tools }) => [
    ...(tools?.packages ?? [])
      .filter((name) => !name.startsWith('builtin.'))
      .flatMap((name) => problemsOf(() => modules.find(name))),
    ...(orchestrator?.kind !== 'custom' || existsSync(join(folder, orchestrator.module))
      ? []
      : [`${orchestrator.module}: there is no such file in ${folder}`]),
    ...(backend.folder === undefined || isFolder(backend.folder)
      ? []
      : [`offline: there is no folder ${backend.folder}`]),
  ]);
  return [...new Set(problems)];
}

function problemsOf(find: () => string): string[] {
  try {
    find();
    return [];
  } catch (error) {
    if (error instanceof SourceError) return error.problems;
    throw error;
  }
}
