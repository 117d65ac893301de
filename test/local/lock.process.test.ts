import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isHeld, takeLock } from '../../src/local/lock.ts';

test('a folder stays taken though its own holder looks whether it is', ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lock = takeLock(folder);
  expect(lock).toBeDefined();
  expect(isHeld(folder)).toBe(true);
  const module = new URL('../../src/local/lock.ts', import.meta.url).href;
  const script = `const { isHeld } = await import('${module}'); console.log(isHeld(${JSON.stringify(folder)}))`;
  const other = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect([other.stdout, other.stderr]).toEqual(['true\n', '']);
  lock?.release(false);
  expect(isHeld(folder)).toBe(false);
});
