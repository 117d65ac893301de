import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Home } from '../support/cli.ts';

const commands = [
  'ask',
  'chat',
  'research',
  'solve',
  'watch',
  'inbox',
  'answer',
  'restart',
  'decide',
  'stats',
  'validate',
  'init',
  'schema',
  'up',
  'down',
  'worker',
];

let home: Home;
beforeAll(async () => {
  home = await Home.make();
});
afterAll(() => home.remove());

describe('help', () => {
  test('lists every command', async () => {
    const { status, stdout } = await home.run(['--help']);
    expect(status).toBe(0);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect(stdout).toContain('Exit status:');
  });

  test.for(commands)('%s --help shows examples', async (command) => {
    const { status, stdout } = await home.run([command, '--help']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/Examples:\n {2}\S/);
    expect(stdout).toContain(`reprise ${command}`);
  });
});

test('where the reader of what is printed has gone, a command ends without a word, as programs do', () => {
  const script = 'set -o pipefail; "$0" src/cli/main.ts --help | true';
  const { status, stderr } = spawnSync('bash', ['-c', script, process.execPath], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 141, stderr: '' });
});

describe('wrong usage or configuration: status 2, nothing on standard output, nothing started', () => {
  const wrong: Array<[what: string, words: string[], said: RegExp]> = [
    ['no command', [], /Usage: reprise/],
    ['an unknown command', ['aks', 'hi'], /unknown command 'aks'/],
    ['an unknown option', ['ask', '--josn', 'hi'], /unknown option '--josn'.*\n.*--json/],
    ['a missing argument', ['ask'], /missing required argument 'task'/],
    ['inbox --notify without --watch', ['inbox', '--notify', 'true'], /add --watch/],
    ['an empty task', ['ask', '  '], /TASK is empty/],
    ['an empty idea', ['research', ' \n'], /IDEA is empty/],
    ['an empty problem', ['solve', ' \n'], /PROBLEM is empty/],
    ['a restart without a reason', ['restart', 'q1', '--instructions', 'x'], /--reason/],
    ['a restart with an empty reason', ['restart', 'q1', '--reason', '', '--instructions', 'x'], /--reason/],
    ['nothing decided', ['decide', 'r1'], /What is decided\?.*--accept .*--stop /],
    ['two decisions', ['decide', 'r1', '--accept', '--stop'], /--accept and --stop exclude each other/],
    ['a missing file', ['ask', '--config', 'none.yaml', 'hi'], /none\.yaml: no such file/],
    ['a missing file of research', ['research', '--config', 'none.yaml', 'hi'], /none\.yaml: no such file/],
    ['an address without a port', ['watch', 'q1', '--temporal', 'somewhere'], /"somewhere" is no address.*HOST:PORT/],
    [
      'a port that there is not',
      ['ask', 'x', '--temporal', 'localhost:99999'],
      /"localhost:99999" is no address.*65535/,
    ],
    ['up at another machine', ['up', '--temporal', '192.0.2.1:7233'], /192\.0\.2\.1:7233 is elsewhere.*reprise worker/],
  ];
  test.for(wrong)('%s', async ([, words, said]) => {
    const { status, stdout, stderr } = await home.run(words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(said);
    expect(home.holder).toBeUndefined();
  });

  test('an unknown key is named with file, line and the valid choices', async () => {
    writeFileSync(join(home.folder, 'bad.yaml'), 'agents:\n  - id: a\n    bakend: {type: openai}\n');
    for (const words of [
      ['ask', '--config', 'bad.yaml', 'hi'],
      ['validate', 'bad.yaml'],
    ]) {
      const { status, stderr } = await home.run(words);
      expect(status).toBe(2);
      expect(stderr).toMatch(/bad\.yaml:3: .*bakend.*did you mean backend/);
    }
  });

  test('a missing key is an error for a run here, and a warning for validate', async () => {
    writeFileSync(join(home.folder, 'team.yaml'), 'agents:\n  - id: a\n    backend: {type: openai}\n');
    const asked = await home.run(['ask', '--config', 'team.yaml', 'hi']);
    expect(asked.status).toBe(2);
    expect(asked.stderr).toContain('OPENAI_API_KEY');
    expect(existsSync(join(home.path, 'up.lock'))).toBe(false);

    const validated = await home.run(['validate', 'team.yaml']);
    expect(validated.status).toBe(0);
    expect(validated.stderr).toMatch(/Warning: .*OPENAI_API_KEY/);
    expect(validated.stdout).toContain('team.yaml is valid');
  });

  test('a profile that does not exist', async () => {
    const { status, stderr } = await home.run(['watch', 'q1'], { TEMPORAL_PROFILE: 'nobody' });
    expect(status).toBe(2);
    expect(stderr).toContain("Profile 'nobody' not found");
  });

  test('REPRISE_IDLE_MINUTES that is no number', async () => {
    const { status, stderr } = await home.run(['up'], { REPRISE_IDLE_MINUTES: 'soon' });
    expect(status).toBe(2);
    expect(stderr).toContain('REPRISE_IDLE_MINUTES');
  });
});

describe('Temporal cannot be reached: status 3, and what to do', () => {
  // 192.0.2.0/24 is reserved for documentation: nobody answers there.
  const elsewhere = '192.0.2.1:7233';
  test.concurrent.for([
    ['ask', 'hi'],
    ['watch', 'q1'],
    ['chat', 'hi'],
    ['inbox'],
    ['restart', 'q1', '--reason', 'r', '--instructions', 'i'],
    ['research', 'hi'],
    ['solve', 'hi'],
    ['decide', 'r1', '--accept'],
    ['stats'],
    ['worker'],
  ])('%s', async (words, { expect }) => {
    const { status, stdout, stderr } = await home.run([...words, '--temporal', elsewhere]);
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
    expect(stderr).toContain(`Temporal does not answer at ${elsewhere}`);
    expect(stderr).toContain('TEMPORAL_ADDRESS');
  });

  test('nothing listens at an address of this machine', async () => {
    const { status, stderr } = await home.run(['inbox', '--temporal', home.address]);
    expect(status).toBe(3);
    expect(stderr).toContain(`Temporal does not answer at ${home.address} (nothing listens there)`);
    expect(stderr).toContain('TEMPORAL_ADDRESS');
  });

  test('what answers is no Temporal server', async () => {
    const server = createServer();
    server.on('stream', (stream) => {
      stream.respond({ ':status': 404 });
      stream.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { status, stderr } = await home.run(['worker', '--temporal', address]);
    server.close();
    expect(status).toBe(3);
    expect(stderr).toContain('is it a Temporal server?');
  });
});
