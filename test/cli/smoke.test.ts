import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../../src/util/version.ts';
import { Home } from '../support/cli.ts';

// Other tests call the command line in their own process; here each command is a process, as people start it.

let home: Home;
beforeAll(async () => {
  home = await Home.make();
});
afterAll(() => home.remove());

/** In the order in which they are run: later ones need the run of the first. */
const commands: Array<[words: string[], status: number, said: RegExp]> = [
  [
    ['ask', 'How many attempts does an orchestration get?', '--id', 'q1'],
    0,
    /^Run q1, Web UI http:\S+\/namespaces\/default\/workflows\/q1$/m,
  ],
  [['start'], 0, /What next:\n.*reprise ask/],
  [['chat', 'How many attempts are there?', '--json'], 0, /^\{"workflow":"session"/m],
  [['research', 'An idea.', '--id', 'r1', '--detach'], 0, /reprise watch r1/],
  [['solve', 'A problem.', '--id', 's1', '--detach'], 0, /reprise watch s1/],
  [['watch', 'q1'], 0, /\d+ attempts?, /],
  [['validate', 'none.yaml'], 2, /none\.yaml: no such file/],
  [['init', 'shop', '--kind', 'agent'], 0, /Written:\n {2}shop\/agent\.yaml/],
  [['schema', 'agent'], 0, /"\$schema"/],
  [['inbox'], 0, /Nobody waits for a person/],
  [['answer', 'nobody', 'Blue'], 1, /There is no run of the id nobody/],
  [['approve', 'nobody', '--allow'], 1, /There is no run of the id nobody/],
  [['restart', 'nobody', '--reason', 'r', '--instructions', 'i'], 1, /There is no run of the id nobody/],
  [['decide', 'nobody', '--accept'], 1, /There is no run of the id nobody/],
  [['list'], 0, /^KIND +STATE/m],
  [['show', 'q1'], 0, /── Attempt 1 ─/],
  [['open', 'q'], 0, /^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/q1$/m],
  [['prune', '--dry-run'], 0, /ended runs are kept/],
  [['cancel', 'q1'], 1, /The run q1 has ended/],
  [['stats'], 0, /^Orchestrations: \d+ runs?/m],
  [['login', 'nobody'], 2, /nobody is no address/],
  [['token'], 0, /^rpr_[\w-]{32}$/m],
  [['serve', '--url', 'nowhere', '--port', '0'], 2, /"nowhere" is no address of a server, such as https:/],
  [['codec-server'], 2, /REPRISE_ENCRYPTION_KEY is not set/],
  [['worker', '--temporal', '127.0.0.1:1'], 3, /Temporal does not answer at 127\.0\.0\.1:1/],
  [['up', '--temporal', '192.0.2.1:7233'], 2, /is elsewhere/],
  [['down'], 0, /Reprise is down/],
];

test.for(commands)('%j ends with status %i', async ([words, status, said]) => {
  const finished = await home.runProcess(words);
  expect(finished.stdout + finished.stderr).toMatch(said);
  expect(finished.status).toBe(status);
});

test('every command is among them', async () => {
  const { stdout } = await home.run(['--help']);
  const listed = [...stdout.matchAll(/^ {2}([a-z][\w-]*)(?: \[options\])?(?: [<[]\w+(?:\.{3})?[>\]])* {2}/gm)].map(
    ([, name]) => name,
  );
  expect(listed).toContain('ask');
  expect(listed.filter((name) => name !== 'help' && !commands.some(([[word]]) => word === name))).toEqual([]);
});

test('Ctrl-C ends a command with status 130', async () => {
  const reached = await home.run(['list']);
  expect(reached.status).toBe(3);
  await home.run(['ask', 'How many attempts are there?']);
  const watching = home.startProcess(['inbox', '--watch']);
  await watching.says(/Ctrl-C ends it/);
  watching.signal('SIGINT');
  expect((await watching.finished).status).toBe(130);
});

test('bin/reprise.mjs passes on the words, and what the command prints', () => {
  const bin = fileURLToPath(new URL('../../bin/reprise.mjs', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [bin, '-v'], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${version}\n` });
});
