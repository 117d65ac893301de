import { dirname, resolve } from 'node:path';
import { readEnvironment } from '../../config/environment.ts';
import { ignoredKeys } from '../../config/ignored-keys.ts';
import { readConfigFile } from '../../config/read-config.ts';
import { examine } from '../examine.ts';
import { printText, say, usageError } from '../exit.ts';

/** `reprise validate FILE`: checks a configuration. Needs no keys: a missing one is only a warning here. */
export async function validate(file: string): Promise<void> {
  const read = readConfigFile(file);
  if (!read.ok) throw usageError(read.problems.join('\n'));
  const { missing, text, warnings } = examine(read.config, readEnvironment(process.env), dirname(resolve(file)));
  for (const warning of [...missing, ...warnings]) say(`Warning: ${warning}`);
  for (const notice of ignoredKeys(read.config)) say(notice);
  await printText(`${file} is valid.\n${text}`);
}
