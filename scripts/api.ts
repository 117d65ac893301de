/**
 * `npm run api`: makes the reference of the library in `api` from the sources of what `package.json` exports. Ends
 * with an error where a link in a comment leads nowhere.
 *
 * TypeDoc needs the programming interface of TypeScript 6, which TypeScript 7 does not have. Both are installed in
 * `scripts/api` by a lock file of their own, since they are 46 MB that nobody needs to start or test Reprise.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const tool = 'scripts/api';

function run(command: string, ...words: string[]): void {
  const { status, error } = spawnSync(command, words, {
    stdio: 'inherit',
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, { 'reprise-source': string }>;
};
const sources = Object.values(exports).flatMap((entry) => ['--entryPoints', entry['reprise-source']]);

run('npm', 'ci', '--prefix', tool, '--no-audit', '--no-fund', '--loglevel=error');
run(process.execPath, `${tool}/node_modules/typedoc/bin/typedoc`, '--options', `${tool}/typedoc.json`, ...sources);
