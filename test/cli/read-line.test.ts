import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readLine } from '../../src/cli/questions/read-line.ts';
import { Shell } from '../../src/cli/shell.ts';

test('Ctrl-Z suspends all that the shell waits for, and what was typed is there afterwards', async () => {
  const done: unknown[] = [];
  const signals = Object.assign(new EventEmitter(), { kill: (...how: unknown[]) => void done.push(how) });
  const stdin = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => void done.push(isRaw) });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const shell = new Shell({ stdin: stdin as never, stdout, stderr, env: {}, cwd: '/', signals });
  const entered = readLine(shell, '> ', {});
  stdin.write('half\u001A');
  await turn();
  stdin.write(' typed\r');
  expect(await entered).toEqual({ kind: 'line', text: 'half typed', more: [] });
  expect(done).toEqual([true, false, [0, 'SIGTSTP'], true, false]);
});
