import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { killed } from '../../test/support/killed.ts';
import { commandBench, secret } from './command-bench.ts';
import type { Engine } from './engine.ts';
import { docker } from './programs.ts';
import { must, type Table } from './table.ts';

/** What a command might do that means harm, each a script that prints "BROKEN" where it has succeeded. */
const attacks: Array<[name: string, script: string]> = [
  [
    'writes outside of its folder',
    'for f in /x /etc/x /usr/bin/x /dev/x; do (echo x >$f) 2>/dev/null && echo "BROKEN: $f"; done',
  ],
  [
    'fills /dev/shm',
    'head -c 100000000 /dev/zero >/dev/shm/x 2>&1; s=$(wc -c </dev/shm/x); [ "$s" -gt 67108864 ] && echo "BROKEN: $s bytes"',
  ],
  [
    'fills /tmp',
    'head -c 700000000 /dev/zero >/tmp/x 2>&1; s=$(wc -c </tmp/x); [ "$s" -gt 536870912 ] && echo "BROKEN: $s bytes"',
  ],
  [
    'reaches a network',
    `[ "$(ls /sys/class/net)" = lo ] || echo "BROKEN: $(ls /sys/class/net)"
     python3 -c "import socket; socket.create_connection(('172.17.0.1', 22), 2); print('BROKEN: connects')" 2>&1`,
  ],
  [
    'bombs with processes',
    `bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 2; n=$(ls -d /proc/[0-9]* | wc -l); [ "$n" -gt 256 ] && echo "BROKEN: $n"`,
  ],
  ['takes 3 GB of memory', `python3 -c "x = b'x' * 3_000_000_000; print('BROKEN: has them')" 2>&1`],
  [
    'gains privileges',
    `grep -q '^CapEff:.0*$' /proc/self/status || echo "BROKEN: capabilities"
     grep -q '^NoNewPrivs:.1$' /proc/self/status || echo "BROKEN: new privileges"
     [ "$(id -u)" = 0 ] && echo "BROKEN: is root"
     mount -t tmpfs none /tmp 2>&1 && echo "BROKEN: mounts"; unshare -Ur true 2>&1 && echo "BROKEN: namespaces"`,
  ],
  [
    'looks for keys',
    `cat /proc/*/environ 2>/dev/null | grep -q ${secret} && echo "BROKEN: a key"; env | grep KEY && echo BROKEN`,
  ],
];

const children = async (): Promise<string[]> =>
  (await docker('ps', '--all', '--quiet', '--filter', 'label=reprise.command')).split('\n').filter(Boolean);

/** Waits until no container of a command is left. @returns after how many seconds */
async function untilGone(seconds: number): Promise<number> {
  const startedAt = Date.now();
  while ((await children()).length > 0) {
    must(Date.now() - startedAt < seconds * 1000, `a container is still there after ${seconds} s`);
    await pause(200);
  }
  return Math.round((Date.now() - startedAt) / 1000);
}

/** Tries attacks by commands in containers, and takes the engine and the worker away under them. */
export async function attackByCommands(image: string, engine: Engine, table: Table): Promise<void> {
  const { bench, run } = commandBench(image);
  const row = (name: string, attempt: () => Promise<string>): Promise<void> => table.row(`command: ${name}`, attempt);
  try {
    for (const [name, script] of attacks) {
      await row(name, async () => {
        const { text, status } = await run(`${script}\necho tried`);
        must(status === 'ok' && !text.includes('BROKEN'), text);
        return 'kept out';
      });
    }
    await row('changes other agents’ files', async () => {
      const { tree } = await run('echo theirs > file');
      const mounts = [{ path: 'temp/agent2', tree: tree ?? '' }];
      const { text } = await run('cat temp/agent2/file; echo mine > temp/agent2/file', 60, mounts);
      must(text.includes('theirs') && text.includes('Read-only file system'), text);
      return 'kept out';
    });
    await row('kills all that it can, and goes on', async () => {
      const { status } = await run('kill -9 -1; sleep 400', 30);
      await untilGone(5);
      return `ends (${status}), and leaves no container`;
    });
    for (const command of ['kill -9 -1; sleep 400', 'trap "" TERM HUP INT PIPE; sleep 400', 'kill -STOP -1; sleep 400'])
      await row(`"${command}", and the worker is killed`, async () => {
        const words = [join(import.meta.dirname, 'command-worker.ts'), image, `echo begun; sleep 2; ${command}`];
        const worker = spawn(process.execPath, ['--conditions=reprise-source', ...words], {
          stdio: ['pipe', 'ignore', 'inherit'],
        });
        const gone = once(worker, 'exit');
        while ((await children()).length === 0) await Promise.race([pause(200), gone]);
        await pause(4000);
        await killed(worker);
        return `its container is gone after ${await untilGone(15)} s`;
      });
    for (const how of ['SIGTERM', 'SIGKILL'] as const)
      await row(`the engine is ended under it (${how})`, async () => {
        if (!engine.isOwn) return 'NOT TRIED: the engine was here before';
        const running = run('sleep 60', 100);
        while ((await children()).length === 0) await pause(200);
        await pause(1000);
        await engine.restart(how);
        const { status, text } = await running;
        must(status === 'exception', `${status}: ${text}`);
        const left = await children();
        if (left.length > 0) await docker('rm', '--force', ...left);
        return `the tool fails: ${text.split('\n')[0]}`;
      });
  } finally {
    await bench.close();
  }
}
