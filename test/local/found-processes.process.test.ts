import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endDaemon } from '../../src/local/home-server.ts';
import { isAlive } from '../../src/util/processes.ts';

test.each(['a space', 'quotes \' and "', 'über 家', 'a line\nbreak'])(
  'the daemon and the server of a home are found by their command lines, also where its name has %j',
  async (name) => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), `reprise-${name}-`)));
    const wait = ['--input-type=module', '--eval', 'setInterval(() => {}, 1000)', '--'];
    const lines = [
      ['daemon.js', '--temporal', '127.0.0.1:1', '--configs', home, '--home', home],
      ['server', '--port', '1', '--db-filename', join(home, 'temporal.db'), '--sqlite-pragma', 'journal_mode=WAL'],
    ];
    const children = lines.map((words) => spawn(process.execPath, [...wait, ...words], { stdio: 'ignore' }));
    try {
      await Promise.all(children.map((child) => once(child, 'spawn')));
      await endDaemon(home);
      expect(children.map(({ pid = 0 }) => isAlive(pid))).toEqual([false, false]);
    } finally {
      for (const child of children) child.kill('SIGKILL');
      rmSync(home, { recursive: true });
    }
  },
);
