import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { startServer } from '../../src/local/server.ts';
import { Home } from '../support/cli.ts';
import { killed } from '../support/killed.ts';
import { startModelServer } from '../support/model-server.ts';
import { answer, teamScript } from '../support/team-script.ts';
import { ownPort } from '../support/own-port.ts';

let home: Home;
let cleanUp: Array<() => unknown>;
beforeEach(async () => {
  home = await Home.make();
  cleanUp = [];
});
afterEach(async () => {
  for (const step of cleanUp.toReversed()) await step();
  await home.remove();
});

interface Answer {
  status: number;
  body: { status: string; worker: string; problems: string[] };
}

async function health(port: number, path: string): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

test('says over HTTP that it is ready, what is wrong when it is not, and that it is alive nevertheless', async () => {
  const server = await startServer({
    cli: inject('temporal').cli,
    port: await ownPort(),
    log: `${home.folder}/temporal.log`,
  });
  cleanUp.push(() => killed(server.process));
  home.address = server.address;
  const port = await ownPort();
  const worker = home.startProcess(['worker'], { REPRISE_HEALTH_PORT: String(port) });
  await worker.says(/Worker on/);
  const ok = { status: 200, body: { status: 'ok', worker: 'RUNNING', problems: [] } };
  expect(await health(port, '/live')).toEqual(ok);
  expect(await health(port, '/ready')).toEqual(ok);
  expect((await health(port, '/else')).status).toBe(404);
  const second = await home.runProcess(['worker'], { REPRISE_HEALTH_PORT: String(port) });
  expect(second.status).toBe(2);
  expect(second.stderr).toContain(`cannot listen on 127.0.0.1, port ${port}`);
  const prometheus = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: String(port) };
  const third = await home.runProcess(['worker'], prometheus);
  expect(third).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^OTEL_EXPORTER_PROMETHEUS_PORT: .*in use/m),
  });

  await killed(server.process);
  let ready = await health(port, '/ready');
  // What was answered holds for a second.
  while (ready.status === 200) {
    await pause(100);
    ready = await health(port, '/ready');
  }
  expect(ready.status).toBe(503);
  expect(ready.body.problems).toEqual([expect.stringMatching(/^Temporal does not answer: /)]);
  expect(await health(port, '/live')).toEqual(ok);
  worker.process.kill('SIGKILL');
  await worker.finished;
});

test('calls that outlast its time to end are left to the next worker', async () => {
  await home.inNamespace();
  let isHeld = true;
  const started = Promise.withResolvers<void>();
  const model = await startModelServer(
    teamScript({
      answer: async ({ agent }) => {
        if (isHeld) {
          started.resolve();
          await new Promise(() => {});
        }
        return answer(`Answer of ${agent}.`);
      },
    }),
  );
  cleanUp.push(() => model.close());
  const keys = { OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai };
  const first = home.startProcess(['worker'], { ...keys, REPRISE_SHUTDOWN_SECONDS: '1' });
  await first.says(/Worker on/);
  await home.run(['ask', 'Finish what you began.', '--detach', '--id', 'begun'], keys);
  await started.promise;
  first.process.kill('SIGTERM');
  expect(await first.finished).toMatchObject({ status: 0 });
  isHeld = false;
  const second = home.startProcess(['worker'], keys);
  await second.says(/Worker on/);
  const reprise = await home.client();
  cleanUp.push(() => reprise.close());
  expect(await reprise.getOrchestration('begun').result()).toMatchObject({ outcome: 'submitted' });
  second.process.kill('SIGTERM');
  await second.finished;
});

test.for([
  { name: 'REPRISE_SLOTS', value: 'activities=many', says: 'REPRISE_SLOTS: "activities=many" is not understood' },
  { name: 'REPRISE_RATES', value: 'KEY', says: 'REPRISE_RATES: "KEY" is not understood' },
  { name: 'REPRISE_HEALTH_PORT', value: 'http', says: 'REPRISE_HEALTH_PORT' },
  { name: 'REPRISE_SHUTDOWN_SECONDS', value: '5m', says: 'REPRISE_SHUTDOWN_SECONDS' },
  { name: '--extensions', value: 'absent', says: '--extensions: there is no folder absent' },
])('$name=$value is refused before anything is started', async ({ name, says, value }) => {
  const isOption = name.startsWith('--');
  const { status, stderr } = await home.run(
    ['worker', ...(isOption ? [name, value] : [])],
    isOption ? {} : { [name]: value },
  );
  expect(status).toBe(2);
  expect(stderr).toContain(says);
});
