import { once } from 'node:events';
import { existsSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test as base } from 'vitest';
import { freePort, hiddenPlace } from '../../src/local/ports.ts';
import { isAlive, processes } from '../../src/util/processes.ts';
import { answers, startServer } from '../../src/local/server.ts';
import { Home } from '../support/cli.ts';
import { startModelServer, type ModelServer, type Script } from '../support/model-server.ts';
import { teamScript } from '../support/team-script.ts';

/** Each test starts several processes, and many run at once. */
const patient = { timeout: 600_000 };

interface Set {
  home: Home;
  model: ModelServer;
  /** Changes what the model says. */
  play: (script: Script) => void;
}

async function newSet(variables: Record<string, string> = {}): Promise<Set> {
  let script = teamScript();
  const model = await startModelServer((seen) => script(seen));
  const keys = { OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai };
  const home = await Home.make({ ...keys, ...variables });
  return { home, model, play: (next) => void (script = next) };
}

async function remove({ home, model }: Pick<Set, 'home' | 'model'>): Promise<void> {
  await home.remove();
  await model.close();
}

/** Each test has homes and a model of its own. */
const test = base.extend<{ newHome: typeof newSet }>({
  // oxlint-disable-next-line no-empty-pattern
  newHome: async ({}, use) => {
    const sets: Set[] = [];
    await use(async (variables) => {
      const set = await newSet(variables);
      sets.push(set);
      return set;
    });
    for (const set of sets) await remove(set);
  },
});

const answer = expect.stringMatching(/^The final answer, by .*\.\n$/);
const answered = expect.objectContaining({ status: 0, stdout: answer });

/** The processes of a home folder. */
function runningIn(home: Home): { daemons: number[]; ups: number[]; servers: number[] } {
  const all = processes();
  const pidsOf = (words: string): number[] =>
    all.flatMap(({ pid, commandLine }) => (commandLine.includes(words) ? [pid] : []));
  return {
    daemons: pidsOf(` --home ${home.path}`),
    ups: pidsOf(` up --background --temporal ${home.address} `),
    servers: pidsOf(` --db-filename ${join(home.path, 'temporal.db')}`),
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(50);
}

async function killed(pid: number | undefined): Promise<void> {
  if (pid === undefined) throw new Error('There is no such process');
  process.kill(pid, 'SIGKILL');
  while (isAlive(pid)) await pause(20);
}

/** A script that lets runs wait in their last call. */
function holding() {
  const started = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const script = teamScript({
    present: async ({ agent }) => {
      started.resolve();
      await held.promise;
      return { text: `The final answer, by ${agent}.` };
    },
  });
  return { script, started: started.promise, release: held.resolve };
}

/** Another program, for a port of ours. */
const squatting = () => createServer((_, response) => response.end('not Temporal'));

const otherKey = { OPENAI_API_KEY: 'test-key-second' };

describe('one home, from its first command until `down`', patient, () => {
  let home: Home;
  let model: ModelServer;
  let play: Set['play'];

  beforeAll(async () => {
    ({ home, model, play } = await newSet());
  });
  afterAll(() => remove({ home, model }));

  test('five commands at once start one server and one worker, and all are answered', async () => {
    const all = await Promise.all(
      Array.from({ length: 5 }, (_, index) => home.runProcess(['ask', `Question ${index}`])),
    );
    for (const finished of all) expect(finished).toEqual(answered);
    expect(runningIn(home)).toMatchObject({ daemons: [home.holder?.pid], servers: [home.holder?.serverPid] });
    // Those that came too late may still be ending: at the first start they write what they have compiled.
    await expect.poll(() => runningIn(home).ups).toEqual(home.workers.map(({ pid }) => pid));
  });

  test('an address where nothing answers is refused while the server runs at another one', async () => {
    const elsewhere = `127.0.0.1:${await freePort()}`;
    const { status, stderr } = await home.run(['ask', 'Elsewhere.', '--temporal', elsewhere]);
    expect(status).toBe(2);
    expect(stderr).toContain(`Nothing answers at ${elsewhere}, and the server of this folder runs at ${home.address}`);
  });

  test('a command that follows a run brings the run’s worker back', async () => {
    let kill = true;
    play(
      teamScript({
        vote: async () => {
          if (kill) {
            kill = false;
            await killed(home.workers[0]?.pid);
          }
          return { calls: [{ name: 'vote', arguments: { agent_id: 'agent2', reason: 'x' } }] };
        },
      }),
    );
    const followed = await home.run(['ask', 'Do not die.']);
    expect(followed).toEqual(answered);
    expect(followed.stderr).toContain('No worker answers');
    play(teamScript());
  });

  test('a run keeps its worker when a command with other keys comes; keys are not written down', async () => {
    const { script: hold, started, release } = holding();
    play(hold);
    const first = home.start(['ask', 'With the first key.']);
    await started;
    play(teamScript());
    const [before] = home.workers;
    const second = await home.run(['ask', 'With the second key.'], otherKey);
    expect(second).toEqual(answered);
    expect(second.stderr).toContain('Starting a worker in the background');
    release();
    expect(await first.finished).toEqual(answered);
    expect(home.workers).toHaveLength(2);
    expect(home.workers).toContainEqual(before);
    const keysOf = (task: string) =>
      new globalThis.Set(
        model.requests.flatMap(({ raw, headers }) => (raw.includes(task) ? [headers['authorization']] : [])),
      );
    expect(keysOf('With the first key.')).toEqual(new globalThis.Set(['Bearer test-key-openai']));
    expect(keysOf('With the second key.')).toEqual(new globalThis.Set(['Bearer test-key-second']));
    expect(home.workers.map((worker) => JSON.stringify(worker)).join()).not.toContain('test-key');
    expect(home.read('up.json')).not.toContain('test-key');
  });

  test('an `up` in the foreground takes over, and leaves the server to a worker with other keys, whose run goes on', async () => {
    const before = home.holder;
    const up = home.startProcess(['up']);
    await up.says(/Ready\./);
    expect(home.holder).toEqual(before);
    expect(home.workers.filter(({ background }) => !background)).toMatchObject([{ pid: up.process.pid }]);
    // The one with other keys.
    expect(home.workers).toHaveLength(2);
    const { script: hold, started, release } = holding();
    play(hold);
    const other = home.start(['ask', 'Go on.'], otherKey);
    await started;
    up.process.kill('SIGINT');
    expect(await up.finished).toMatchObject({ status: 0 });
    expect(runningIn(home).servers).toHaveLength(1);
    release();
    expect(await other.finished).toEqual(answered);
  });

  test('`down` ends all at once, with the server', async () => {
    expect(await home.run(['down'])).toMatchObject({ status: 0, stdout: '' });
    expect(runningIn(home)).toEqual({ daemons: [], ups: [], servers: [] });
    expect((await home.run(['down'])).stderr).toContain('Nothing is up');
  });
});

describe.concurrent('the background', patient, () => {
  test('has its namespace, and all that has died again, with the data and at the same addresses: a worker and a daemon, a server, and all at once', async ({
    newHome,
  }) => {
    const { home } = await newHome({ TEMPORAL_NAMESPACE: 'people' });
    expect(await home.run(['ask', 'Remember me.', '--id', 'old'])).toEqual(answered);
    const { holder: first, workers } = home;
    const places = { address: first?.address, uiAddress: first?.uiAddress };

    await killed(workers[0]?.pid);
    expect(await home.run(['ask', 'Without a worker.'])).toEqual(answered);
    expect(home.holder).toEqual(first);

    await killed(first?.serverPid);
    await until(() => home.holder?.serverPid !== first?.serverPid);
    expect(home.holder).toMatchObject({ ...places, pid: first?.pid });

    // The worker starts it again.
    await killed(first?.pid);
    await until(() => home.holder?.pid !== first?.pid);
    expect(home.holder).toMatchObject(places);
    expect(runningIn(home).servers).toEqual([home.holder?.serverPid]);
    expect((await fetch(places.uiAddress ?? '')).ok).toBe(true);
    expect(await home.run(['ask', 'With another daemon.'])).toEqual(answered);

    await killed(home.holder?.pid);
    await killed(home.workers[0]?.pid);
    await killed(home.holder?.serverPid);
    const watched = await home.run(['watch', 'old']);
    expect(watched).toEqual(answered);
    expect(watched.stderr).toContain('Task: Remember me.');
    expect(home.holder).toMatchObject(places);
  });

  test('gets another port where that of a daemon and its server was taken meanwhile, and the worker ends', async ({
    newHome,
  }) => {
    const { home } = await newHome();
    expect(await home.run(['ask', 'First.'])).toEqual(answered);
    const { holder: before, workers } = home;
    process.kill(workers[0]!.pid, 'SIGSTOP');
    await killed(before?.pid);
    await killed(before?.serverPid);
    const squatter = squatting();
    const listen = () => once(squatter.listen(Number(home.address.split(':')[1]), '127.0.0.1'), 'listening');
    // A process that has just ended may have its port for a moment.
    while (!squatter.listening) await listen().catch(() => pause(20));
    process.kill(workers[0]!.pid, 'SIGCONT');
    await until(() => home.workers.length === 0);
    expect(home.holder?.address).not.toBe(before?.address);
    expect(await home.run(['ask', 'Where are you?'])).toEqual(answered);
    expect(home.read('logs/up.log')).toContain(`is no more at ${before?.address}: ending`);
    squatter.close();
  });

  test("is a worker alone where a server of somebody else's answers", async ({ newHome }) => {
    const { home } = await newHome();
    await home.inNamespace();
    expect(await home.run(['ask', 'Whose server is it?'])).toEqual(answered);
    expect(home.holder).toBeUndefined();
    expect(home.workers).toMatchObject([{ address: home.address, isReady: true }]);
    expect(await home.run(['down'])).toMatchObject({ status: 0 });
    expect(await answers(home.address)).toBe(true);
  });

  test('the cause is said where it cannot be started, with status 3', async ({ newHome }) => {
    const { home } = await newHome({ TEMPORAL_CLI_PATH: '/nowhere/temporal' });
    const { status, stdout, stderr } = await home.run(['ask', 'Hello?']);
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
    expect(stderr).toContain('TEMPORAL_CLI_PATH is /nowhere/temporal, but there is no such program');
    expect(stderr).not.toContain('    at ');
  });

  test('leaves no server of a daemon that was still starting beside its own', async ({ newHome }) => {
    const { home } = await newHome();
    const server = await startServer({
      cli: inject('temporal').cli,
      port: Number(home.address.split(':')[1]),
      ui: await hiddenPlace(),
      database: join(home.path, 'temporal.db'),
      log: join(home.path, 'logs', 'temporal.log'),
    });
    expect(await home.run(['ask', 'Who was here?'])).toEqual(answered);
    expect(home.holder).toMatchObject({ address: server.address });
    expect(runningIn(home).servers).toEqual([home.holder?.serverPid]);
    expect(home.holder?.serverPid).not.toBe(server.process.pid);
  });

  test('ends where its folder is moved, and a command finds all at the new place', async ({ newHome }) => {
    const { home } = await newHome();
    expect(await home.run(['ask', 'Move me.', '--id', 'moved'])).toEqual(answered);
    const elsewhere = { REPRISE_HOME: join(home.folder, 'elsewhere') };
    renameSync(home.path, elsewhere.REPRISE_HOME);
    await until(() => Object.values(runningIn(home)).flat().length === 0);
    expect(existsSync(home.path)).toBe(false);
    const { status, stderr } = await home.run(['watch', 'moved'], elsewhere);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('Task: Move me.') as string });
    expect((await home.run(['ask', 'Go on.'], elsewhere)).status).toBe(0);
    expect((await home.run(['down'], elsewhere)).status).toBe(0);
  });

  test('ends by itself when it is idle, and not while a run is open; the server ends with the last worker', async ({
    newHome,
  }) => {
    const { home, play } = await newHome({ REPRISE_IDLE_MINUTES: '0.1' });
    expect(await home.run(['ask', 'Be quick.'])).toEqual(answered);
    const idle = home.workers;
    const { script, started, release } = holding();
    play(script);
    expect(await home.run(['ask', 'Think.', '--detach', '--id', 'open'], otherKey)).toMatchObject({ status: 0 });
    await started;
    const busy = home.workers.filter(({ pid }) => pid !== idle[0]?.pid);
    await until(() => home.workers.length === 1);
    expect(home.workers).toEqual(busy);
    expect(home.read('logs/up.log')).toContain('Idle for 0.1 minutes: ending');
    release();
    await until(() => Object.values(runningIn(home)).flat().length === 0);
    expect([busy.length, home.holder]).toEqual([1, undefined]);
  });
});

describe.concurrent('up in the foreground', patient, () => {
  test("says where Temporal and its Web UI are where the port is another program's, serves commands, and ends with its server by Ctrl-C", async ({
    newHome,
  }) => {
    const { home } = await newHome();
    const squatter = squatting();
    await once(squatter.listen(0, '127.0.0.1'), 'listening');
    const { port } = squatter.address() as { port: number };
    home.address = `127.0.0.1:${port}`;
    const up = home.startProcess(['up']);
    await up.says(/Ready\./);
    expect(up.stderr).toContain(`Port ${port} is taken`);
    expect(home.holder?.address).not.toBe(home.address);
    expect(up.stderr).toContain(`Temporal ${home.holder?.address}, Web UI http://127.0.0.1:`);
    const page = await fetch(home.holder?.uiAddress ?? '');
    expect(page.ok).toBe(true);
    const asked = await home.run(['ask', 'Are you up?']);
    expect(asked).toEqual(answered);
    expect(asked.stderr).not.toMatch(/Starting (?:Temporal|a worker)/);
    const another = await home.runProcess(['up']);
    expect(another).toMatchObject({ status: 0 });
    expect(another.stderr).toContain('Reprise is up here already');
    // A signal to the whole process group comes twice.
    up.process.kill('SIGINT');
    up.process.kill('SIGINT');
    expect(await up.finished).toMatchObject({ status: 0 });
    expect(runningIn(home)).toEqual({ daemons: [], ups: [], servers: [] });
    expect(home.holder).toBeUndefined();
    squatter.close();
  });
});
