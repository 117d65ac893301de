import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emptyFullLogs } from '../../src/worker/rotation.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reprise-logs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const limits = { bytes: 10_000, files: 3 };

describe('a log whose file another process has been given', () => {
  test('is emptied when it is full, and the process goes on at its beginning', async () => {
    const file = join(folder, 'temporal.log');
    const output = openSync(file, 'a');
    const script = "process.stdin.on('data', (n) => console.log('x'.repeat(Number(n) - 1)))";
    const child = spawn(process.execPath, ['--eval', script], { stdio: ['pipe', output, 'inherit'] });
    closeSync(output);
    const write = async (bytes: number): Promise<void> => {
      const before = statSync(file).size;
      child.stdin?.write(String(bytes));
      await expect.poll(() => statSync(file).size).toBe(before + bytes);
    };
    try {
      await write(9000);
      emptyFullLogs(folder, limits);
      expect(readdirSync(folder)).toEqual(['temporal.log']);
      for (let round = 0; round < 5; round++) {
        await write(10_000);
        emptyFullLogs(folder, limits);
        expect(statSync(file).size).toBe(0);
      }
      await write(500);
      const full = readdirSync(folder).filter((name) => name !== 'temporal.log');
      expect(full).toHaveLength(limits.files - 1);
      for (const name of full) {
        expect(name).toMatch(/^temporal-\d{4}-.*\.log$/);
        expect(statSync(join(folder, name)).size).toBeGreaterThanOrEqual(limits.bytes);
      }
      expect(readFileSync(file, 'utf8')).toBe(`${'x'.repeat(499)}\n`);
    } finally {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    }
  });

  test('does not take the full files of another log, nor other files, for its own', () => {
    for (const name of ['mcp-a.log', 'mcp-a-b.log', 'log.txt']) writeFileSync(join(folder, name), 'y'.repeat(10_000));
    emptyFullLogs(folder, { bytes: 10_000, files: 2 });
    writeFileSync(join(folder, 'mcp-a.log'), 'z'.repeat(10_000));
    emptyFullLogs(folder, { bytes: 10_000, files: 2 });
    const kept = readdirSync(folder).map((name) => name.replace(/-\d{4}-.*Z-[\da-f]{8}/, '-FULL'));
    expect(kept.toSorted()).toEqual(['log.txt', 'mcp-a-FULL.log', 'mcp-a-b-FULL.log', 'mcp-a-b.log', 'mcp-a.log']);
    expect(statSync(join(folder, 'log.txt')).size).toBe(10_000);
  });
});
