import { join } from 'node:path';
import type { NativeConnection } from '@temporalio/worker';
import { expect, onTestFinished, test } from 'vitest';
import { rmSync } from 'node:fs';
import { ReprisePlugin } from '../../src/worker.ts';
import { folderOf } from '../support/extensions.ts';

/** Joins workflows of one's own. @returns their file, and what joins them */
function joining(text: string): { file: string; join: () => unknown } {
  const folder = folderOf({ 'own.ts': text });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'own.ts');
  return { file, join: () => new ReprisePlugin({ home: folder }).configureBundler({ workflowsPath: file }) };
}

test.each([
  'export async function research() {}\nexport async function triage() {}\nexport const session = triage;',
  'export { triage, research, mine as session };',
])('workflows of types that Reprise has are refused at the start: %s', (text) => {
  const { file, join } = joining(text);
  expect(join).toThrow(
    `${file} exports workflows of names that Reprise's have: research, session. Give them other names`,
  );
});

test.each(['const research = 1; export { research as mine };', 'export async function researchTown() {}'])(
  'others are not: %s',
  (text) => {
    expect(joining(text).join).not.toThrow();
  },
);

test('so are activities, but for those that the same plugin has added before', () => {
  const { file } = joining('');
  const home = join(file, '..');
  const plugin = new ReprisePlugin({ home, variables: {} });
  const connection = {} as NativeConnection;
  const options = { connection, taskQueue: 'q' };
  expect(() => plugin.configureWorker({ ...options, activities: { greet() {}, search() {} } })).toThrow(
    "The worker has activities of names that Reprise's have: search. Give them other names",
  );
  const twice = plugin.configureWorker(plugin.configureWorker({ ...options, activities: { greet() {} } }));
  expect(Object.keys(twice.activities ?? {})).toContain('greet');
});
