/**
 * `npm run test:times`: runs the tests, and says for each folder and for the slowest files of `test` how long they took, how much
 * processor time they and their processes have used, and how many processes they have started.
 *
 *   npm run test:times                  all tests
 *   npm run test:times -- test/cli      those of a folder, each file in its line
 *
 * Words after `--` go to vitest. The processor time is that of Linux; elsewhere it is 0.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byFolder, tableOf, type FileTimes } from '../test/support/test-times.ts';

/** How many files are shown where all tests have run. */
const most = 30;

const scratch = mkdtempSync(join(tmpdir(), 'reprise-times-'));
const file = join(scratch, 'times.jsonl');
const words = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project=!everyday', ...words],
  {
    env: { ...process.env, REPRISE_TEST_TIMES: file },
    stdio: ['ignore', 'inherit', 'inherit'],
  },
);
const times = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as FileTimes);
rmSync(scratch, { recursive: true, force: true });
const slowest = times.toSorted((one, other) => other.seconds - one.seconds);
console.log(`\n${tableOf(words.length > 0 ? slowest : slowest.slice(0, most))}\n\n${tableOf(byFolder(times))}`);
process.exitCode = status ?? 1;
