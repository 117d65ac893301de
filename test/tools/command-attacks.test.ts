import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canKeepTogether } from '../../src/sandbox/commands/local.ts';
import { Trees } from '../../src/sandbox/tree.ts';
import { stallOf } from '../support/stall.ts';
import { toolBench, type ToolBench } from '../support/tool-bench.ts';

/** What stands outside, and must neither be changed nor come into a tree. */
const outside = mkdtempSync(join(tmpdir(), 'reprise-outside-'));
const secret = join(outside, 'secret');
const text = 'SECRET-7f3a';

let bench: ToolBench;
let isTogether = false;
beforeAll(async () => {
  writeFileSync(secret, text);
  bench = toolBench({}, { REPRISE_ALLOW_COMMANDS: 'local' });
  isTogether = await canKeepTogether();
  if (!isTogether)
    console.warn('SKIPPED: this system has no namespaces for users; what only they keep back is not tried');
});
afterAll(async () => {
  await bench.close();
  rmSync(outside, { recursive: true, force: true });
});

const source = { package: 'builtin.command.local' };

/** How long a program of an attack sleeps, by which one that is left is found. */
const mark = String(100_000 + (process.pid % 90_000));

function run(command: string, seconds = 20) {
  const tool = { name: 'run_command', source, timeout: 720, workspace: { tree: null, mounts: [] } };
  return bench.call(tool, { command, timeout: seconds }).result;
}

const left = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`sleep\0${mark}`);
      } catch {
        return false;
      }
    });

type Attack = [what: string, command: string, seconds?: number];

/** `OUT` is the folder outside, `SLEEP` a program that goes on. */
const ready = (command: string): string => command.replaceAll('OUT', outside).replaceAll('SLEEP', `sleep ${mark}`);

const links: Attack[] = [
  ['a link to a file outside', 'ln -s OUT/secret link'],
  ['a link to a folder outside', 'ln -s OUT folder'],
  ['a relative link that leads out', 'ln -s ../../../../../../../../../../../../OUT/secret link'],
  [
    'a link that leads out by way of another one',
    'mkdir -p a/b && ln -s .. a/b/up && ln -s a/b/up/../../../../secret link',
  ],
  ['a link to itself', 'ln -s me me'],
  ['links in a circle', 'ln -s b a; ln -s a b'],
  ['a folder that links to its own folder', 'mkdir d; ln -s . d/d; ln -s .. d/up'],
  ['a link to a process’s folder', 'ln -s /proc/self/root root; ln -s /proc/1/cwd cwd'],
  ['a link to a device', 'ln -s /dev/zero zero; ln -s /dev/stdin in'],
  ['a fifo', 'mkfifo fifo'],
  ['a fifo in the place of a file', 'echo x > a; rm a; mkfifo a'],
  ['a socket', 'python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'socket\')" || true'],
  ['a device', 'mknod device c 1 5 || true'],
  ['the folder of the workspace replaced by a link', 'cd .. && mv workspace away && ln -s OUT workspace'],
  [
    'the folder above replaced by a link',
    'cd ../.. && for d in [0-9]*; do mv $d away$d && mkdir fake && ln -s OUT $d; done; true',
  ],
  ['the folder of the workspace deleted', 'rmdir "$PWD"; true'],
  ['another folder in its place', 'cd .. && mv workspace away && mkdir workspace && cp OUT/secret workspace/'],
  [
    'an archive with members that lead out',
    "python3 -c \"import tarfile,io; t=tarfile.open('a.tar','w'); i=tarfile.TarInfo('../../escaped'); i.size=1; t.addfile(i,io.BytesIO(b'x'))\" && tar xf a.tar; true",
  ],
  [
    'a configuration of git with a hook',
    'mkdir -p .git/hooks && printf "[core]\\n\\tfsmonitor = touch OUT/hooked\\n" > .git/config',
  ],
];

const names: Attack[] = [
  ['names with line breaks', 'touch "$(printf "a\\nb")"'],
  ['names with control characters', 'touch "$(printf "a\\033[2Jb")" "$(printf "x\\ty")"'],
  ['names that are no UTF-8', 'touch "$(printf "a\\377b")"'],
  ['names with backslashes', 'touch "a\\\\b" "..\\\\..\\\\x"'],
  ['names like options', 'touch -- -rf --help "-e x"'],
  ['names of 255 bytes', 'touch "$(printf %0255d 0)"'],
  ['a path deeper than any may be', 'for i in $(seq 200); do mkdir d && cd d; done; touch bottom'],
  [
    'folders in one another beyond the longest path',
    'n=$(printf %0200d 0); for i in $(seq 60); do mkdir $n && cd -P $n || break; done 2>/dev/null; true',
  ],
  ['a name of a mark that stands for what cannot be read', 'touch "$(printf "\\357\\277\\275")"'],
  ['names that differ by case or form alone', 'touch a A "$(printf "\\303\\251")" "$(printf "e\\314\\201")"'],
];

const sizes: Attack[] = [
  ['a sparse file of a terabyte', 'truncate -s 1T sparse 2>&1; true'],
  ['a sparse file that is larger than any kept one', 'truncate -s 900M sparse'],
  ['more files than there may be', 'seq 25000 | xargs touch'],
  ['more folders than there may be', 'seq 21000 | xargs mkdir'],
  ['folders without permissions', 'mkdir -p shut/in && touch shut/in/file && chmod 000 shut/in shut'],
  ['files without permissions', 'touch shut && chmod 000 shut'],
  ['a folder that cannot be written', 'mkdir fixed && touch fixed/file && chmod 555 fixed'],
  ['files of the greatest permissions', 'touch a && chmod 7777 a && mkdir d && chmod 1777 d'],
];

const processes: Attack[] = [
  ['a process in the background', 'SLEEP & echo'],
  ['one without hang-ups', 'nohup SLEEP >/dev/null 2>&1 & echo'],
  ['one in a session of its own', 'setsid SLEEP >/dev/null 2>&1 & echo'],
  ['one that is nobody’s child any more', '(setsid sh -c "(SLEEP &) &" &) ; echo'],
  ['one that has thrown its environment away', 'env -i setsid /bin/sh -c "SLEEP" & echo'],
  ['one that ignores every signal', 'sh -c "trap \'\' TERM INT HUP QUIT; SLEEP" & echo'],
  ['one that has stopped itself', 'sh -c "kill -STOP \\$\\$; SLEEP" & sleep 0.2'],
  ['one that holds the output', 'setsid SLEEP & exit 0'],
  ['one that starts itself anew', 'cat > a.sh <<"END"\nsetsid sh a.sh &\nSLEEP\nEND\ntimeout 0.2 sh a.sh; true'],
  ['one that goes on after the time is over', 'setsid SLEEP & SLEEP', 1],
  ['a chain of a few hundred processes', 'i=0; while [ $i -lt 600 ]; do SLEEP & i=$((i+1)); done; wait', 20],
  ['a bomb of processes', 'bomb() { bomb | bomb & SLEEP; }; bomb', 20],
  ['a signal to all processes of its group', 'kill -9 0'],
];

const takers: Attack[] = [
  ['endless output', 'yes'],
  ['endless output without a line break', 'cat /dev/zero'],
  ['endless errors', 'yes >&2'],
  ['an endless line of half characters', 'while :; do printf "\\303"; done', 2],
  ['a command that waits for somebody to type', 'cat; read x; echo "[$x]"'],
  ['a loop that does nothing', 'while :; do :; done', 1],
  ['a file that grows without end', 'cat /dev/zero > big', 20],
  ['memory without end', 'python3 -c "x=[]\nwhile True: x.append(bytearray(50_000_000))"', 20],
  [
    'memory without end by many processes',
    'for i in 1 2 3 4 5 6; do python3 -c "import time; x=bytearray(900_000_000); time.sleep(100)" & done; wait',
    20,
  ],
];

const all = [...links, ...names, ...sizes, ...processes, ...takers];

describe('a command may leave what it likes', () => {
  test.each(all)('%s', { timeout: 120_000 }, async (_, command, seconds) => {
    const before = statSync(secret);
    let ended: Awaited<ReturnType<typeof run>> | undefined;
    const stall = await stallOf(async () => {
      ended = await run(ready(command), seconds);
    });
    expect(stall).toBeLessThan(500);
    expect(ended?.status).toMatch(/^(ok|error|exception)$/);
    expect(readFileSync(secret, 'utf8')).toBe(text);
    expect(statSync(secret)).toMatchObject({ mode: before.mode, mtimeMs: before.mtimeMs, nlink: 1 });
    const files = await new Trees(bench.store).read(ended?.tree ?? null);
    const contents = [...files.values()].map(async ({ id }) => Buffer.from(await bench.store.object(id)).toString());
    for (const content of await Promise.all(contents)) expect(content).not.toContain(text);
    expect(readdirSync(outside)).toEqual(['secret']);
    if (process.platform === 'linux') expect(left()).toEqual([]);
    // The next one finds nothing of it.
    expect(await run('ls -A; echo still')).toMatchObject({ status: 'ok', text: 'still\n[exit code 0]' });
  });
});

test('nothing is left of them on the disk', async () => {
  const mine = () =>
    readdirSync(tmpdir()).filter((name) => name.includes(`-${process.pid}-`) && name.startsWith('reprise-commands-'));
  await bench.toolbox.close();
  expect(mine()).toEqual([]);
});
