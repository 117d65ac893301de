import { mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processes } from '../../src/util/processes.ts';
import { Home, type RunningProcess } from '../support/cli.ts';
import { ownPort } from '../support/own-port.ts';

const patient = { timeout: 300_000 };

/** What `serve` says of the ways in. */
async function waysInto(serving: RunningProcess): Promise<{ url: string; token: string }> {
  await serving.says(/Ctrl-C ends it/);
  const [, url = '', token = ''] = /^Pages (\S+)\/login\?token=(\S+)$/m.exec(serving.stderr) ?? [];
  return { url, token };
}

const status = async (url: string, token?: string): Promise<number> => {
  const answer = await fetch(`${url}/api/v1/nothing`, {
    // One that is kept ends with its server, perhaps just when it is used again.
    headers: { connection: 'close', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
  await answer.text();
  return answer.status;
};

describe('reprise serve', patient, () => {
  let home: Home;
  beforeAll(async () => {
    home = await Home.make();
  });
  afterAll(() => home.remove());

  test('starts what is missing, lets wait who comes meanwhile, prints how to get in, lets nobody in without the token, and ends by Ctrl-C', async () => {
    const port = await ownPort();
    const serving = home.startProcess(['serve', '--port', String(port)]);
    await expect.poll(() => status(`http://127.0.0.1:${port}`), { interval: 20 }).toBe(401);
    const { token, url } = await waysInto(serving);
    expect(await status(url)).toBe(401);
    expect(await status(url, token)).toBe(404);
    expect((await home.run(['token'])).stdout).toBe(`${token}\n`);
    serving.signal('SIGINT');
    expect(await serving.finished).toMatchObject({ status: 0, stdout: '' });
  });

  test('takes another port where the usual one is taken, and fails where a port that was named is', async () => {
    const serving = home.startProcess(['serve', '--port', '0']);
    const { url } = await waysInto(serving);
    const { port } = new URL(url);
    expect(await home.run(['serve', '--port', port])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`It cannot listen at 127.0.0.1:${port}`),
    });
    serving.signal('SIGINT');
    await serving.finished;
  });
});

describe('the server of an `up`', patient, () => {
  let home: Home;
  let token: string;
  beforeAll(async () => {
    home = await Home.make({ REPRISE_IDLE_MINUTES: '0.2' });
    token = (await home.run(['token'])).stdout.trim();
    mkdirSync(join(home.folder, 'teams'));
    writeFileSync(join(home.folder, 'teams', 'quick.yaml'), 'agents: [{ id: a, backend: { type: offline } }]\n');
    // Whose port is not the usual one, which another test's server may have between an `up` and the next.
    const usual = createServer().listen(8234, '127.0.0.1');
    await Promise.race([once(usual, 'listening'), once(usual, 'error')]).catch(() => {});
    const up = home.startProcess(['up', '--extensions', 'teams']);
    await up.says(/^Pages \S+\/login\?token=/m);
    await up.says(/Ready/);
    usual.close();
  });
  afterAll(() => home.remove());

  const url = (): string => home.holder?.httpAddress ?? '';
  const servers = (): number[] =>
    processes().flatMap(({ commandLine, pid }) =>
      commandLine.includes(` serve --inherited --port ${new URL(url()).port}`) ? [pid] : [],
    );

  test('begins when somebody comes, and one that is killed refuses no connection', async () => {
    expect(await status(url(), token)).toBe(404);
    for (let kills = 0; kills < 3; kills++) {
      const pids = servers();
      expect(pids).toHaveLength(1);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      expect(await status(url(), token)).toBe(404);
    }
  });

  test('has the configurations of the folder of extensions, and its runs the worker of that folder', async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const models = await fetch(`${url()}/v1/models`, { headers });
    expect(await models.json()).toMatchObject({ data: [{ id: 'reprise' }, { id: 'quick' }] });
    const body = JSON.stringify({ type: 'orchestration', input: { task: 'What is Reprise?', config: 'quick' } });
    const { id } = (await (await fetch(`${url()}/api/v1/runs`, { method: 'POST', headers, body })).json()) as {
      id: string;
    };
    const result = await fetch(`${url()}/api/v1/runs/${id}/result?wait=60`, { headers });
    expect(await result.json()).toMatchObject({ finalAgent: 'a' });
    expect(home.workers).toHaveLength(1);
  });

  test('is named by a `serve` that finds the usual port taken', async () => {
    const taking = createServer();
    let said = '';
    // Where another test has it, that one may leave it at any time, and `serve` finds it free.
    while (!said.includes('is taken')) {
      if (!taking.listening) await once(taking.listen(8234, '127.0.0.1'), 'listening').catch(() => {});
      const serving = home.startProcess(['serve']);
      await waysInto(serving);
      serving.signal('SIGINT');
      await serving.finished;
      said = serving.stderr;
    }
    taking.close();
    expect(said).toMatch(
      /^Port 8234 is taken: another one is used\. This folder's `up` serves already, at \S+; `reprise down` ends it$/m,
    );
    expect(said).toContain(`at ${url()};`);
  });

  test('ends when nobody has used it for a while, and begins again', async () => {
    expect(await status(url(), token)).toBe(404);
    while (servers().length > 0) await pause(100);
    expect(await status(url(), token)).toBe(404);
  });

  test('ends with the `up`, which keeps its port for the next one', async () => {
    const [port, pids] = [url(), servers()];
    await home.run(['down']);
    while (processes().some(({ pid }) => pids.includes(pid))) await pause(20);
    const up = home.startProcess(['up']);
    await up.says(/Ready/);
    expect(url()).toBe(port);
    up.signal('SIGINT');
    await once(up.process, 'exit');
  });
});
