/**
 * `npm test`: checks types, lint, format and imports, and runs the rules, the everyday courses, and each command once.
 * `npm run test:all` runs the other courses, the processes and the world besides. Words after `--` go to vitest, as in
 * `npm run test:all -- test/store`. The last line is `N passed, N failed`; with `--coverage` the line before says how much of
 * `src` the tests have run, where all have passed.
 *
 * Where at most three files have failed, and none of them is a rule, they have a second try with nothing beside them. If it
 * passes, so does the whole, and a line before the last says of which files that is true.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestReport } from '../test/setup/reporter.ts';

const folders = ['bin', 'src', 'test', 'bench', 'examples', 'scripts'];
const scratch = mkdtempSync(join(tmpdir(), 'reprise-report-'));
const coverage = join(scratch, 'coverage');
const given = process.argv.slice(2);
const quick = ['rules', 'mocked', 'everyday', 'smoke'].map((tier) => `--project=${tier}`);
// All courses have the everyday ones too.
const words = given[0] === '--all' ? ['--project=!everyday', ...given.slice(1)] : [...quick, ...given];

/** How many files may have a second try. More of them have not failed for want of time. */
const mostTries = 3;

interface Summary {
  total: { lines: { pct: number } };
}

/** Runs a step, and says how it has ended and how long it took. @returns whether all is well */
async function passes(name: string, command: string[]): Promise<boolean> {
  const startedAt = Date.now();
  const [status] = await once(spawn(process.execPath, command, { stdio: ['ignore', 'inherit', 'inherit'] }), 'exit');
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return status === 0;
}

/** The content of a JSON file; undefined where it cannot be read. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Runs tests. @returns whether they passed, and what they have come to, if they did */
async function tested(name: string, chosen: string[]): Promise<{ isGood: boolean; report: TestReport | undefined }> {
  const file = join(scratch, `${name.replaceAll(' ', '-')}.json`);
  process.env['REPRISE_TEST_REPORT'] = file;
  const reporters = ['--reporter=default', '--reporter=./test/setup/reporter.ts'];
  const isGood = await passes(name, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...chosen]);
  const report = readJson(file) as TestReport | undefined;
  // Without a report nothing has been tested.
  return { isGood: isGood && report !== undefined, report };
}

/** The files that have failed, if they may have a second try. An error of which no test knows may be anything. */
function secondTry({ failedFiles, strayErrors }: TestReport): string[] {
  const isRule = (name: string): boolean => !/\.(course|process|world)\.test\.ts$/.test(name);
  return failedFiles.length > mostTries || failedFiles.some(isRule) || strayErrors > 0 ? [] : failedFiles;
}

const checks = await Promise.all([
  passes('types', ['node_modules/typescript/bin/tsc', '-p', '.']),
  passes('lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...folders]),
  passes('format', ['node_modules/oxfmt/bin/oxfmt', '--check', '.']),
  passes('replayed code', ['scripts/check-replayed.ts']),
  passes('floors', ['scripts/check-floors.ts']),
]);
const tests = await tested('tests', [...words, `--coverage.reportsDirectory=${coverage}`]);
let { failed = 0, passed = 0 } = tests.report ?? {};
const again = tests.isGood || tests.report === undefined ? [] : secondTry(tests.report);
const isGoodAlone = again.length > 0 && (await tested('second try', again)).isGood;
if (isGoodAlone) {
  console.log(`passed only at a second try, alone (${failed} tests): ${again.join(', ')}`);
  passed += failed;
  failed = 0;
}
// Vitest writes no summary where a test has failed.
const summary = readJson(join(coverage, 'coverage-summary.json')) as Summary | undefined;
rmSync(scratch, { recursive: true, force: true });
if (summary !== undefined) console.log(`coverage: ${summary.total.lines.pct.toFixed(1)}% of lines`);
const { skipped = 0, strayErrors = 0 } = tests.report ?? {};
if (skipped > 0) console.log(`${skipped} skipped`);
if (strayErrors > 0) console.log(`${strayErrors} errors outside of tests`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = checks.every(Boolean) && (tests.isGood || isGoodAlone) ? 0 : 1;
