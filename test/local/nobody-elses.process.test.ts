import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reprise } from '../../src/client.ts';
import { isAlive, processes } from '../../src/util/processes.ts';
import { Home, type Running } from '../support/cli.ts';

const hasProgram = (name: string): boolean => spawnSync('which', [name]).status === 0;
const isLinux = process.platform === 'linux';
const canBeNobody = process.geteuid?.() === 0 && hasProgram('setpriv');
const hasCurl = hasProgram('curl');
if (!isLinux) console.warn('SKIPPED: only Linux tells (/proc) where a process listens');
if (!canBeNobody) console.warn('SKIPPED: not root with setpriv, so that nothing is tried as another user');
if (!hasCurl) console.warn('SKIPPED: no curl, so that DNS rebinding is not tried');

const patient = { timeout: 600_000 };

let home: Home;
let up: Running;
beforeAll(async () => {
  // With the widest of all umasks, and in a home that is open to everybody.
  const umask = process.umask(0);
  home = await Home.make({ REPRISE_RETENTION_DAYS: '3' });
  mkdirSync(join(home.path, 'logs'), { mode: 0o777 });
  writeFileSync(join(home.path, 'logs', 'mcp-old.log'), 'x', { mode: 0o666 });
  up = home.startProcess(['up']);
  process.umask(umask);
  await up.says(/Ready\./);
}, patient.timeout);
afterAll(async () => {
  up.signal('SIGTERM');
  await up.finished;
  await home.remove();
}, patient.timeout);

const serverPid = (): number => home.holder?.serverPid ?? 0;
const ui = (): URL => new URL(home.holder?.uiAddress ?? '');
const commandLine = (): string => processes().find(({ pid }) => pid === serverPid())?.commandLine ?? '';
const daemonPid = (): number => home.holder?.pid ?? 0;

const dayMs = 24 * 60 * 60 * 1000;

async function retentionOf({ client }: Reprise): Promise<number> {
  const { config } = await client.workflowService.describeNamespace({ namespace: 'default' });
  return tsToMs(config?.workflowExecutionRetentionTtl);
}

/** Where a process listens, as in `0100007F:1F90`: addresses as Linux lists them, with the bytes of each word reversed. */
function listening(pid: number): string[] {
  const sockets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
    } catch {
      return undefined;
    }
  });
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.includes(inode))
      .map(([, local = '']) => local),
  );
}

describe('the embedded server', patient, () => {
  test.skipIf(!isLinux)(
    'listens on loopback addresses only, and so does the daemon before its Web UI and for its HTTP server',
    () => {
      const places = listening(serverPid());
      // gRPC, HTTP, metrics, the Web UI, and its inner services.
      expect(places.length).toBeGreaterThanOrEqual(7);
      // The Web UI, and the HTTP server.
      expect(listening(daemonPid())).toHaveLength(2);
      for (const place of [...places, ...listening(daemonPid())]) expect(place).toMatch(/^[\dA-F]{6}7F:/);
    },
  );

  test('starts nothing by its HTTP API, whatever host and path a request names', async () => {
    const port = Number(/ --http-port (\d+)/.exec(commandLine())?.[1]);
    const body = JSON.stringify({ workflowType: { name: 'session' }, taskQueue: { name: 'reprise' }, input: [{}] });
    const start = '/api/v1/namespaces/default/workflows/evil';
    const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'evil.example', '*', '.*'];
    const paths = [
      start,
      `/${start}`,
      start.replace('/api/v1', ''),
      `${start}?x=1`,
      '/api/v1/namespaces/default/workflows/evil/',
    ];
    for (const host of hosts)
      for (const path of paths) {
        const headers = { host, 'content-type': 'text/plain' };
        const sending = request({ host: '127.0.0.1', port, method: 'POST', path, headers });
        sending.end(body);
        const [answer] = (await once(sending, 'response')) as [IncomingMessage];
        await text(answer);
        // A path with two slashes is sent to the one with one.
        expect([host, path, Math.max(answer.statusCode ?? 0, 300)]).toEqual([host, path, answer.statusCode]);
        if (path === start) expect([host, answer.statusCode]).toEqual([host, 403]);
      }
    const reprise = await home.client();
    const { count } = await reprise.client.workflow.count("WorkflowId = 'evil'");
    await reprise.close();
    expect(count).toBe(0);
  });

  test.skipIf(!hasCurl)('shows its Web UI to nobody who comes by another name (DNS rebinding)', () => {
    const curl = (...words: string[]): string =>
      spawnSync('curl', ['--silent', '--noproxy', '*', '--write-out', '%{http_code}', ...words], { encoding: 'utf8' })
        .stdout;
    const { port, href } = ui();
    const listed = 'api/v1/namespaces';
    expect(curl(`${href}${listed}`)).toMatch(/"default"[^]*200$/);
    expect(curl(`http://localhost:${port}/${listed}`)).toMatch(/200$/);
    const rebound = ['--resolve', `evil.example:${port}:127.0.0.1`];
    for (const words of [
      [...rebound, `http://evil.example:${port}/${listed}`],
      [...rebound, '--request', 'POST', `http://evil.example:${port}/${listed}`],
      ['--header', 'Host: evil.example', `${href}${listed}`],
      ['--header', 'Origin: http://evil.example', `${href}${listed}`],
    ])
      expect(curl(...words)).toMatch(/^(This Web UI is at|A page of another site)[^]*403$/);
  });

  test('keeps its own Web UI where browsers connect to no port', async () => {
    const [, place, port] = / --ui-ip (\S+) --ui-port (\d+)/.exec(commandLine()) ?? [];
    expect(place).toMatch(/^127\./);
    await expect(fetch(`http://${place}:${port}/`)).rejects.toMatchObject({ cause: { message: 'bad port' } });
  });

  test('keeps closed runs for as many days as it is told, those of namespaces that it has already as well', async () => {
    expect(up.stderr).toContain('; closed runs are kept for 3 days');
    const reprise = await home.client();
    const kept = await retentionOf(reprise);
    await reprise.close();
    expect(kept).toBe(3 * dayMs);
  });
});

describe.skipIf(process.platform === 'win32')('what is in the home', patient, () => {
  test('is for its user alone, whatever the umask says', async () => {
    expect((await home.run(['ask', 'Whose is this?'])).status).toBe(0);
    const names = ['.', ...readdirSync(home.path, { recursive: true, encoding: 'utf8' })];
    for (const name of [
      'temporal.db',
      'temporal.db-wal',
      'store.sqlite',
      'secret',
      'logs/temporal.log',
      'logs/log.txt',
    ])
      expect(names).toContain(name);
    for (const name of names) {
      // Journals come and go.
      const found = statSync(join(home.path, name), { throwIfNoEntry: false });
      expect([name, (found?.mode ?? 0) & 0o077]).toEqual([name, 0]);
    }
  });

  test.skipIf(!canBeNobody)('cannot be read, listed or written by another user', () => {
    const asNobody = (...words: string[]): SpawnSyncReturns<string> =>
      spawnSync('setpriv', ['--reuid=nobody', '--regid=nogroup', '--clear-groups', ...words], { encoding: 'utf8' });
    expect(asNobody('id', '-un').stdout).toBe('nobody\n');
    for (const name of ['temporal.db', 'store.sqlite', 'secret', 'up.json', 'logs/log.txt', 'logs/temporal.log'])
      expect([name, asNobody('cat', join(home.path, name)).stderr]).toEqual([
        name,
        expect.stringContaining('Permission denied'),
      ]);
    expect(asNobody('ls', home.path).stderr).toContain('Permission denied');
    expect(asNobody('touch', join(home.path, 'mine')).stderr).toContain('Permission denied');
  });
});

describe('wrong settings', patient, () => {
  test.each([
    ['REPRISE_RETENTION_DAYS', '36501', 'it must be a whole number of days, from 1 to 36500'],
    ['REPRISE_RETENTION_DAYS', '0', 'it must be a whole number of days, from 1 to 36500'],
    ['REPRISE_RETENTION_DAYS', '1.5', 'it must be a whole number of days, from 1 to 36500'],
    ['REPRISE_LOG_FORMAT', 'xml', 'it must be "text" or "json"'],
  ])('%s=%s is refused with status 2', async (name, value, reason) => {
    const { status, stderr } = await home.runProcess(['up'], { [name]: value });
    expect([status, stderr]).toEqual([2, `${name} is "${value}"; ${reason}\n`]);
    // With another key the command needs a worker of its own.
    const asked = await home.run(['ask', 'Hello?'], { [name]: value, OPENAI_API_KEY: 'test-key-other' });
    expect([asked.status, asked.stderr]).toEqual([2, `${name} is "${value}"; ${reason}\n`]);
  });
});

test(
  'a server ends with its daemon when its worker was killed and nobody has started another one for a while',
  patient,
  async () => {
    const other = await Home.make({ REPRISE_IDLE_MINUTES: '0.02' });
    try {
      const own = other.startProcess(['up'], { REPRISE_LOG_FORMAT: 'json' });
      await own.says(/Ready\./);
      const line = {
        time: expect.any(String),
        level: expect.stringMatching(/^(INFO|WARN)$/),
        message: expect.any(String),
      };
      for (const each of own.stderr.split('\n').slice(0, -1)) expect(JSON.parse(each)).toMatchObject(line);
      const { pid = 0, serverPid: server = 0 } = other.holder ?? {};
      own.process.kill('SIGKILL');
      await own.finished;
      while (isAlive(pid)) await pause(50);
      expect(isAlive(server)).toBe(false);
      expect(other.holder).toBeUndefined();
    } finally {
      await other.remove();
    }
  },
);
