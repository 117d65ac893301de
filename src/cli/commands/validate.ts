import { dirname } from 'node:path';
import { checkConfig, ignoredKeys, partsOf } from '../../config/kinds.ts';
import { inspectConfig, readFile } from '../checked-config.ts';
import type { Shell } from '../shell.ts';

/** `reprise validate FILE`: checks a configuration. Needs no keys: a missing one is only a warning here. */
export async function validate(shell: Shell, file: string): Promise<void> {
  const config = readFile(shell, file, checkConfig);
  const { missing, text, warnings } = inspectConfig(shell, config, dirname(shell.path(file)));
  for (const warning of [...missing, ...warnings]) shell.say(`Warning: ${warning}`);
  for (const notice of ignoredKeys(...partsOf(config))) shell.say(notice);
  await shell.printText(`${file} is valid.\n${text}`);
}
