import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { quietRuntime } from '../../src/worker/quiet-runtime.ts';
import { courses } from './courses.ts';
import { fileCourses } from './file-courses.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const recorded = readdirSync(folder).filter((name) => name.endsWith('.json'));

test.each(recorded)('the recorded history %s replays', async (name) => {
  quietRuntime();
  const workflowBundle = { codePath: inject('temporal').bundle };
  const history: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  await Worker.runReplayHistory({ workflowBundle }, history);
});

test('every course that a run can take is recorded', () => {
  const names = [...courses, ...fileCourses].map(({ name }) => `${name}.json`);
  expect(recorded.toSorted()).toEqual(names.toSorted());
});
