import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const module = new URL('../../src/worker/unawaited.ts', import.meta.url).href;

/** Runs a worker's process in which a tool forgets to await a promise that fails. */
function forget(reason: string, isEncrypted = false): { stdout: string; stderr: string } {
  const program = `
    const { outliveUnawaited } = await import(${JSON.stringify(module)});
    outliveUnawaited(${isEncrypted});
    function execute() { void Promise.reject(${reason}); }
    execute();
    setImmediate(() => console.log('goes on'));
  `;
  const words = ['--input-type=module', '--eval', program];
  return spawnSync(process.execPath, words, { encoding: 'utf8', env: { PATH: process.env['PATH'] } });
}

test('a promise that a tool forgets to await does not end the worker, whose output says what failed and where', () => {
  const { stdout, stderr } = forget("new TypeError('No such room')");
  expect(stdout).toBe('goes on\n');
  expect(stderr).toMatch(/^ERROR A promise failed that nobody awaits, in execute \(.+\): No such room\n$/);
});

test('nor does one that fails with something that has no text', () => {
  const { stdout, stderr } = forget('Object.create(null)');
  expect(stdout).toBe('goes on\n');
  expect(stderr).toContain('ERROR A promise failed that nobody awaits');
});

test('with a key its words are not printed', () => {
  const { stdout, stderr } = forget("new TypeError('No such room')", true);
  expect(stdout).toBe('goes on\n');
  expect(stderr).toContain('TypeError');
  expect(stderr).not.toContain('room');
});
