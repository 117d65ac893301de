import { completeTeam } from '../config/default-team.ts';
import { readEnvironment } from '../config/environment.ts';
import { preflight } from '../config/preflight.ts';
import { readConfigFile } from '../config/read-config.ts';
import { teamSchema, type TeamConfig } from '../config/team.ts';
import { readHolder } from '../embedded/lock.ts';
import { usageError } from './exit.ts';
import { homeFolder, type CommonOptions } from './options.ts';
import { targetOf } from './target.ts';

/**
 * The configuration that a command was given, checked before anything starts. A worker elsewhere has keys of its own;
 * one here has ours, so that what is missing can be said.
 *
 * @throws `CommandError`, status 2, with everything that is wrong
 */
export function readTeam(options: CommonOptions): TeamConfig | undefined {
  const config = options.config === undefined ? undefined : readConfig(options.config);
  if (!targetOf(options.temporal, readHolder(homeFolder())).isLocal) return config;
  const environment = readEnvironment(process.env);
  const problems = preflight(completeTeam(config ?? teamSchema.parse({}), environment), environment);
  if (problems.length > 0) throw usageError(problems.join('\n'));
  return config;
}

function readConfig(file: string): TeamConfig {
  const read = readConfigFile(file);
  if (!read.ok) throw usageError(read.problems.join('\n'));
  return read.config;
}
