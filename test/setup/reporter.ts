import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** What a run of the tests has come to. */
export interface TestReport {
  passed: number;
  failed: number;
  skipped: number;
  /** Paths of the files with tests that failed, or which could not be loaded. */
  failedFiles: string[];
  /** How many errors there were of which no test knows. */
  strayErrors: number;
}

/** Writes a `TestReport` as JSON into the file that REPRISE_TEST_REPORT names. */
export default class FileReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const file = process.env['REPRISE_TEST_REPORT'];
    if (file === undefined) return;
    const report: TestReport = { passed: 0, failed: 0, skipped: 0, failedFiles: [], strayErrors: errors.length };
    for (const module of modules) {
      if (module.state() === 'failed') report.failedFiles.push(relative('.', module.moduleId));
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed' || state === 'skipped') report[state] += 1;
      }
    }
    writeFileSync(file, JSON.stringify(report));
  }
}
