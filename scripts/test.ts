/**
 * `npm test`: type check, lint, format, replayed code, then all tests. Words after `--` go to vitest:
 * `npm test -- test/store`. Ends with a line `N passed, N failed`; before it stands how much of `src` all tests together
 * have run, where all have passed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = ['bin', 'src', 'test', 'bench', 'examples', 'scripts'];
const scratch = mkdtempSync(join(tmpdir(), 'reprise-report-'));
const report = join(scratch, 'report.json');
const coverage = join(scratch, 'coverage');
const words = process.argv.slice(2);

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
      // Of some tests alone it would say nothing.
      ...(words.length === 0 ? ['--coverage.enabled', `--coverage.reportsDirectory=${coverage}`] : words),
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

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
}

/** A run that wrote no report has not tested anything. */
function counts(): Report {
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as Report;
  } catch {
    failed = true;
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
  }
}

/** Vitest leaves the figure out where a test has failed. */
function coveredLines(): number | undefined {
  try {
    const summary = readFileSync(join(coverage, 'coverage-summary.json'), 'utf8');
    return (JSON.parse(summary) as { total: { lines: { pct: number } } }).total.lines.pct;
  } catch {
    return undefined;
  }
}

const { numPassedTests, numFailedTests, numPendingTests } = counts();
const covered = coveredLines();
rmSync(scratch, { recursive: true, force: true });
if (covered !== undefined) console.log(`coverage: ${covered.toFixed(1)}% of lines`);
if (numPendingTests > 0) console.log(`${numPendingTests} skipped`);
console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
process.exitCode = failed ? 1 : 0;
