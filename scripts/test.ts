/**
 * `npm test`: checks types, lint, format and the imports of replayed code, and runs the rules, the courses, and each command
 * once. `npm run test:all` runs the processes and the world besides. Words after `--` go to vitest, as in
 * `npm run test:all -- test/store`. The last line is `N passed, N failed`; with `--coverage` the line before says how much of
 * `src` the tests have run, where all have passed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = ['bin', 'src', 'test', 'bench', 'examples', 'scripts'];
const scratch = mkdtempSync(join(tmpdir(), 'reprise-report-'));
const report = join(scratch, 'report.json');
const coverage = join(scratch, 'coverage');
const given = process.argv.slice(2);
const quick = ['rules', 'courses', 'smoke'].map((tier) => `--project=${tier}`);
const words = given[0] === '--all' ? given.slice(1) : [...quick, ...given];

const steps: Array<{ name: string; command: string[] }> = [
  { name: 'types', command: ['node_modules/typescript/bin/tsc', '-p', '.'] },
  {
    name: 'lint',
    command: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...folders],
  },
  { name: 'format', command: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.'] },
  { name: 'replayed code', command: ['scripts/check-replayed.ts'] },
  {
    name: 'tests',
    command: [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${report}`,
      `--coverage.reportsDirectory=${coverage}`,
      ...words,
    ],
  },
];

let failed = false;
for (const { name, command } of steps) {
  const startedAt = Date.now();
  const { status } = spawnSync(process.execPath, command, { stdio: ['ignore', 'inherit', 'inherit'] });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  failed ||= status !== 0;
}

const noTests = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
type Report = typeof noTests;

interface Summary {
  total: { lines: { pct: number } };
}

/** The content of a JSON file; undefined where it cannot be read. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const counts = readJson(report) as Report | undefined;
const { numPassedTests, numFailedTests, numPendingTests } = counts ?? noTests;
// Without a report nothing has been tested.
failed ||= counts === undefined;
// Vitest writes no summary where a test has failed.
const summary = readJson(join(coverage, 'coverage-summary.json')) as Summary | undefined;
rmSync(scratch, { recursive: true, force: true });
if (summary !== undefined) console.log(`coverage: ${summary.total.lines.pct.toFixed(1)}% of lines`);
if (numPendingTests > 0) console.log(`${numPendingTests} skipped`);
console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
process.exitCode = failed ? 1 : 0;
