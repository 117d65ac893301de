import { resolve } from 'node:path';

/** Where embedded data, store and log are: `REPRISE_HOME`, else `.reprise` in the current folder. */
export function homeFolder(): string {
  return resolve(process.env['REPRISE_HOME'] || '.reprise');
}
