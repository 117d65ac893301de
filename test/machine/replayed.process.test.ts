import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { forbiddenImports, localActivities, moduleVariables } from '../../scripts/check-replayed.ts';

test.each([
  [
    'Node',
    'workflows/deep/a.ts',
    "\nimport { join } from 'node:path';",
    /^src\/workflows\/deep\/a\.ts:2: .*"node:path"/,
  ],
  ['zod', 'workflows/a.ts', "import { z } from 'zod';", /"zod"/],
  ['what is only run', 'workflows/a.ts', "import 'zod';", /"zod"/],
  ['what is re-exported', 'workflows/a.ts', "export { x } from 'zod';", /"zod"/],
  ['what is imported later', 'workflows/a.ts', "const x = await import('zod');", /"zod"/],
  ['a value beside types', 'workflows/a.ts', "import { type A, b } from 'zod';", /"zod"/],
  ['on several lines', 'workflows/a.ts', "import {\n  a,\n  b,\n} from 'zod';", /a\.ts:1: /],
  ['a package into the protocol', 'protocol/a.ts', "import { x } from '@temporalio/common';", /"@temporalio\/common"/],
])('replayed code must not import %s', (_, file, text, problem) => {
  expect(forbiddenImports(file, text)).toEqual([expect.stringMatching(problem)]);
});

test.each([
  ['types', 'workflows/a.ts', "import type { X } from 'zod';\nexport type { Y } from 'zod';"],
  ['Temporal for workflows', 'workflows/a.ts', "import { sleep } from '@temporalio/workflow';"],
  ['what it likes where it is not replayed', 'cli/a.ts', "import 'node:fs';"],
])('it may import %s', (_, file, text) => {
  expect(forbiddenImports(file, text)).toEqual([]);
});

test.each([
  ['a call', "const { a } = proxyLocalActivities<Activities>({ startToCloseTimeout: '1s' });", 'proxyLocalActivities'],
  ['a call without types', '  return proxyLocalActivities(options).callTool;', 'proxyLocalActivities'],
  ['a call on several lines', 'const { a } = proxyLocalActivities<\n  Activities\n>({});', 'proxyLocalActivities'],
  ['another name', "import { proxyLocalActivities as near } from '@temporalio/workflow';", 'proxyLocalActivities'],
  ['a handler of an interceptor', '        scheduleLocalActivity(input, next) {', 'scheduleLocalActivity'],
  ['a handler that is a value', '    scheduleLocalActivity: (input, next) => next(input),', 'scheduleLocalActivity'],
])('no code has local activities, and %s is found', (_, text, name) => {
  expect(localActivities('workflows/a.ts', `\n${text}`)).toEqual([
    `src/workflows/a.ts:2: ${name}: local activities are ended in another order at a replay ` +
      '(docs/decisions/0057-no-local-activities.md)',
  ]);
});

test.each([
  ['an import', "import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';"],
  ['a comment', '/** Not by `proxyLocalActivities(…)`. */\n * scheduleLocalActivity(…)\n// proxyLocalActivities()'],
  ['another activity', 'const { a } = proxyActivities<Activities>({});\nscheduleActivity(input, next) {'],
])('%s is no local activity', (_, text) => {
  expect(localActivities('workflows/a.ts', text)).toEqual([]);
});

test.each([
  ['what may change', 'let hasNew = false;', 'hasNew'],
  ['what others may read', 'export let count: number;', 'count'],
  ['a map that is filled', 'const loads = new Map<string, Array<() => void>>();', 'loads'],
  ['a list that is filled', 'export const files: string[] = [];', 'files'],
])('no module of workflows has a variable, and %s is found', (_, text, name) => {
  const problem =
    `src/workflows/a.ts:2: ${name}: all runs of a thread would share it; use perRun ` +
    '(docs/decisions/0052-lean-workflow-threads.md)';
  expect(moduleVariables('workflows/a.ts', `\n${text}`)).toEqual([problem]);
});

test.each([
  ['a table', "const names = new Set(['a']);\nconst list = ['b'];", 'workflows/a.ts'],
  ['what belongs to each run', 'const own = perRun(() => new Map<string, number>());', 'workflows/a.ts'],
  ['what belongs to a function', 'function f() {\n  let a = 0;\n  const b: string[] = [];', 'workflows/a.ts'],
  ['what is never replayed', 'let a = 0;', 'cli/a.ts'],
])('%s is no variable of a module of workflows', (_, text, file) => {
  expect(moduleVariables(file, text)).toEqual([]);
});

test('the check fails where any file of src has a local activity, and says where and why', ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const check = () =>
    spawnSync(process.execPath, [resolve('scripts/check-replayed.ts')], { cwd: folder, encoding: 'utf8' });
  mkdirSync(join(folder, 'src', 'worker'), { recursive: true });
  writeFileSync(join(folder, 'src', 'worker', 'a.ts'), 'export const a = 1;\n');
  expect(check()).toMatchObject({ status: 0, stderr: '' });
  writeFileSync(join(folder, 'src', 'worker', 'a.ts'), '\nexport const { a } = proxyLocalActivities({});\n');
  const { status, stderr } = check();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^src\/worker\/a\.ts:2: .*another order at a replay \(docs\/decisions\/0057-/);
});
