import { dirname } from 'node:path';
import { checkConfig, ignoredKeys, partsOf } from '../../config/kinds.ts';
import { readConfigFile } from '../../config/read-config.ts';
import { inspectConfig } from '../checked-config.ts';
import { usageError } from '../exit.ts';
import type { Shell } from '../shell.ts';

/** `reprise validate FILE`: checks a configuration. Needs no keys: a missing one is only a warning here. */
export async function validate(shell: Shell, file: string): Promise<void> {
  const read = readConfigFile(file, checkConfig, shell.cwd);
  if (!read.ok) throw usageError(read.problems.join('\n'));
  const { missing, text, warnings } = inspectConfig(shell, read.config, dirname(shell.path(file)));
  for (const warning of [...missing, ...warnings]) shell.say(`Warning: ${warning}`);
  for (const notice of ignoredKeys(...partsOf(read.config))) shell.say(notice);
  await shell.printText(`${file} is valid.\n${text}`);
}
