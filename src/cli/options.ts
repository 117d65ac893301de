import { resolve } from 'node:path';
import type { Command } from 'commander';

/** Options that all commands share which start or follow runs. */
export interface CommonOptions {
  config?: string;
  id?: string;
  detach?: boolean;
  json?: boolean;
  plain?: boolean;
  temporal?: string;
}

export function withTemporal(command: Command): Command {
  return command.option(
    '--temporal <address>',
    'address of the Temporal server (default: TEMPORAL_ADDRESS, then localhost:7233)',
  );
}

export function withView(command: Command): Command {
  return withTemporal(command)
    .option('--json', "print the workflow's result as one JSON object")
    .option('--plain', 'plain lines: no emoji, nothing redrawn');
}

export function withStart(command: Command): Command {
  return withView(command)
    .option('--config <file>', 'configuration file (YAML or JSON)')
    .option('--id <id>', 'id of the run (default: a new readable one)')
    .option('--detach', 'start the run, print its id, and leave');
}

/** Where embedded data, store and log are: `REPRISE_HOME`, else `.reprise` in the current folder. */
export function homeFolder(): string {
  return resolve(process.env['REPRISE_HOME'] || '.reprise');
}
