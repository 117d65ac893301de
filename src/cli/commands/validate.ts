import { completeTeam } from '../../config/default-team.ts';
import { readEnvironment } from '../../config/environment.ts';
import { withoutEffect } from '../../config/kinds.ts';
import { preflight } from '../../config/preflight.ts';
import { readConfigFile } from '../../config/read-config.ts';
import { describeTeam } from '../../config/describe-team.ts';
import { say, usageError } from '../exit.ts';

/** `reprise validate FILE`: checks a configuration. Needs no keys: a missing one is only a warning here. */
export function validate(file: string): void {
  const read = readConfigFile(file);
  if (!read.ok) throw usageError(read.problems.join('\n'));
  const environment = readEnvironment(process.env);
  const team = completeTeam(read.config, environment);
  for (const warning of preflight(team, environment)) say(`Warning: ${warning}`);
  for (const notice of withoutEffect(read.config)) say(notice);
  process.stdout.write(`${file} is valid.\n${describeTeam(team)}\n`);
}
