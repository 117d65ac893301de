import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowInfo } from '@temporalio/workflow';
import { describe, expect, test } from 'vitest';
import { fileLines, logSink } from '../../src/worker/log-sink.ts';

const at = '2026-01-18T17:09:44.000Z';
const stamp = String.raw`\[2026-01-1\d \d\d:\d\d:44\]`;

describe('a line of the log file', () => {
  test("begins with the stamp and the phrase, and ends with the run's id", () => {
    const line = fileLines({ text: 'Final agent selected: agent_1', stamped: true }, at, 'q1');
    expect(line).toMatch(new RegExp(`^${stamp} Final agent selected: agent_1\\trun=q1\\n$`));
  });

  test('has the id also where an entry has several, and where it has no stamp; empty lines stay empty', () => {
    expect(fileLines({ text: '\n🔄 Restart\n\n   Reason: Why\n', stamped: false }, at, 'q1')).toBe(
      '\n🔄 Restart\trun=q1\n\n   Reason: Why\trun=q1\n\n',
    );
  });

  test('has no more tabs than that, so that `cut -f1` gives the phrases alone', () => {
    expect(fileLines({ text: 'a\tb', stamped: false }, at, 'q\t1\n')).toBe('a b\trun=q 1 \n');
  });

  test('does not steer the terminal in which the log is read', () => {
    const text = 'So\x1B[2J it \x1B]52;c;cm0gLXJmIH4vKgo+/A==\x07is, \u202Esays\u202C 👩‍👩‍👧‍👦\r';
    expect(fileLines({ text, stamped: false }, at, 'q\x1B[1m1')).toBe('So it is, says 👩‍👩‍👧‍👦\trun=q1\n');
  });
});

test('as JSON, an entry is one line with its time, its run and the type of its workflow', async () => {
  const home = mkdtempSync(join(tmpdir(), 'reprise-log-'));
  const info = { workflowId: 'q1', runId: 'r1', workflowType: 'research' } as WorkflowInfo;
  const entry = { text: '\n🔄 Restart\n   Reason: \x1B[2JWhy\n', stamped: false };
  await logSink(home, 'json').run.say.fn(info, entry, at, 'planning_restart');
  const written = readFileSync(join(home, 'logs', 'log.txt'), 'utf8');
  expect(written.split('\n')).toHaveLength(2);
  expect(JSON.parse(written)).toEqual({
    time: at,
    level: 'INFO',
    message: '🔄 Restart\n   Reason: Why',
    workflowId: 'q1',
    runId: 'r1',
    type: 'research',
  });
});

describe('the log file', () => {
  const writer = fileURLToPath(new URL('./log-writer.ts', import.meta.url));
  const names = ['one', 'two', 'three'];

  /** Has several processes write to the log of one home at the same time. @returns what its files hold, the oldest first */
  async function written(each: number, bytes: number, files: number): Promise<string[]> {
    const home = mkdtempSync(join(tmpdir(), 'reprise-log-'));
    const writers = names.map((name) =>
      spawn(process.execPath, [writer, home, name, each, bytes, files].map(String), { stdio: 'inherit' }),
    );
    const codes = await Promise.all(writers.map(async (child) => (await once(child, 'exit'))[0] as number));
    expect(codes).toEqual([0, 0, 0]);
    const folder = join(home, 'logs');
    const found = readdirSync(folder).toSorted();
    for (const name of found) expect(statSync(join(folder, name)).size).toBeLessThan(bytes + 1000);
    return found.map((name) => readFileSync(join(folder, name), 'utf8'));
  }

  test('is renamed when it is full, and no line of any process is lost', async () => {
    const files = await written(2000, 20_000, 1000);
    expect(files.length).toBeGreaterThan(10);
    const lines = files.join('').trimEnd().split('\n');
    const said = names.flatMap((name) => Array.from({ length: 2000 }, (_, at) => `${name} says ${at}\trun=${name}`));
    expect(lines.map((line) => line.replace(/^\[.*?\] /, '')).toSorted()).toEqual(said.toSorted());
  });

  test('has only so many predecessors', async () => {
    const files = await written(1000, 5000, 3);
    expect(files.length).toBeLessThanOrEqual(3);
  });
});
