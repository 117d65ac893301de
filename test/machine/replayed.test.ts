import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { forbiddenImports } from '../../scripts/check-replayed.ts';

test.each([
  [
    'an activity',
    'workflows/a.ts',
    "\nimport { x } from '../activities/a.ts';",
    /^src\/workflows\/a\.ts:2: .*"\.\.\/activities/,
  ],
  ['Node', 'workflows/deep/a.ts', "import { join } from 'node:path';", /:1: .*"node:path"/],
  ['zod', 'workflows/a.ts', "import { z } from 'zod';", /"zod"/],
  ['what is only run', 'workflows/a.ts', "import '../tools/a.ts';", /"\.\.\/tools\/a\.ts"/],
  ['what is re-exported', 'workflows/a.ts', "export { x } from '../store/a.ts';", /"\.\.\/store\/a\.ts"/],
  ['what is imported later', 'workflows/a.ts', "const x = await import('../store/a.ts');", /"\.\.\/store\/a\.ts"/],
  ['a value beside types', 'workflows/a.ts', "import { type A, b } from '../store/a.ts';", /"\.\.\/store\/a\.ts"/],
  ['on several lines', 'workflows/a.ts', "import {\n  a,\n  b,\n} from '../store/a.ts';", /a\.ts:1: /],
  ['a value into the protocol', 'protocol/a.ts', "import { x } from '../workflows/a.ts';", /"\.\.\/workflows\/a\.ts"/],
  ['a package into the protocol', 'protocol/a.ts', "import { x } from '@temporalio/common';", /"@temporalio\/common"/],
])('replayed code must not import %s', (_, file, text, problem) => {
  expect(forbiddenImports(file, text)).toEqual([expect.stringMatching(problem)]);
});

test.each([
  [
    'types from anywhere',
    'workflows/a.ts',
    "import type { X } from '../activities/a.ts';\nexport type { Y } from 'zod';",
  ],
  ['its own values', 'workflows/a/b.ts', "import { x } from '../b.ts';\nimport { y } from './c.ts';"],
  ['the protocol', 'workflows/a/b.ts', "import { x } from '../../protocol/b.ts';"],
  ['Temporal for workflows', 'workflows/a.ts', "import { sleep } from '@temporalio/workflow';"],
])('it may import %s', (_, file, text) => {
  expect(forbiddenImports(file, text)).toEqual([]);
});

test('what is not replayed may import what it likes', () => {
  expect(forbiddenImports('cli/a.ts', "import { x } from '../workflows/a.ts';\nimport 'node:fs';")).toEqual([]);
});

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

test('no source file is longer than 300 lines', () => {
  const lines = (file: string): number => readFileSync(join('src', file), 'utf8').split('\n').length - 1;
  expect(sources.filter((file) => lines(file) > 300)).toEqual([]);
});

test('no folder holds more than 25 source files', () => {
  const counts = Map.groupBy(sources, dirname);
  expect([...counts].filter(([, files]) => files.length > 25).map(([folder]) => folder)).toEqual([]);
});

test('each workflow is its document’s algorithm in one screen', () => {
  const long = sources
    .filter((file) => file.endsWith('workflow.ts'))
    .filter((file) => readFileSync(join('src', file), 'utf8').split('\n').length > 81);
  expect(long).toEqual([]);
});

test('what a run’s version allows is asked at its very beginning alone: later, a query may come between', () => {
  const asking = sources.filter((file) => readFileSync(join('src', file), 'utf8').includes('patched('));
  expect(asking).toEqual(['workflows/runtime/run-handlers.ts']);
});
