import { once } from 'node:events';
import { Connection } from '@temporalio/client';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { freePort } from '../../src/local/ports.ts';
import { startServer, type RunningServer } from '../../src/local/server.ts';
import { Home } from '../support/cli.ts';
import { startModelServer } from '../support/model-server.ts';
import { startRefusingProxy } from '../support/refusing-proxy.ts';
import { answer, teamScript } from '../support/team-script.ts';

/** A server of its own: the others of this test run have the search attributes already. */
let server: RunningServer;
let home: Home;
let cleanUp: Array<() => unknown>;
beforeEach(async () => {
  home = await Home.make();
  server = await startServer({
    cli: inject('temporal').cli,
    port: await freePort(),
    log: `${home.folder}/temporal.log`,
  });
  home.address = server.address;
  cleanUp = [];
});
afterEach(async () => {
  for (const step of cleanUp.toReversed()) await step();
  const ended = once(server.process, 'exit');
  // One that has ended already is the test's to tell.
  if (server.process.kill()) await ended;
  await home.remove();
});

const operatorService = 'temporal.api.operatorservice.v1.OperatorService';

test('registers the search attributes that are missing, and is found by commands', async () => {
  const worker = home.startProcess(['worker']);
  await worker.says(/Worker on 127\.0\.0\.1:\d+, namespace default/);
  const asked = await home.run(['ask', 'What is a worker?']);
  expect(asked.status).toBe(0);
  expect(asked.stderr).not.toContain('Starting Temporal');
  expect(home.holder).toBeUndefined();
  const reprise = await home.client();
  const found = await reprise.client.workflow.count("RepriseOutcome = 'submitted' AND RepriseAttempt = 1");
  await reprise.close();
  expect(found.count).toBe(1);
  worker.process.kill('SIGTERM');
  expect(await worker.finished).toMatchObject({ status: 0 });
});

test('where it may not register them it says what to run, and ends with status 3 without polling', async () => {
  const proxy = await startRefusingProxy(server.address, [operatorService]);
  cleanUp.push(() => proxy.close());
  const { status, stderr } = await home.runProcess(['worker', '--temporal', proxy.address]);
  expect(status).toBe(3);
  for (const words of [
    '--name RepriseWaiting --type Keyword',
    '--name RepriseAttempt --type Int',
    '--name RepriseOutcome --type Keyword',
  ])
    expect(stderr).toContain(`temporal operator search-attribute create --namespace default ${words}`);
  expect(proxy.calls.filter((path) => path.includes('/Poll'))).toEqual([]);
});

test('where it may not register them, and somebody else has, it works', async () => {
  const first = home.startProcess(['worker']);
  await first.says(/Worker on/);
  first.process.kill('SIGTERM');
  await first.finished;
  const proxy = await startRefusingProxy(server.address, [operatorService]);
  cleanUp.push(() => proxy.close());
  const second = home.startProcess(['worker', '--temporal', proxy.address]);
  await second.says(/Worker on/);
  second.process.kill('SIGTERM');
  expect(await second.finished).toMatchObject({ status: 0 });
});

test('a namespace without room for the question as well: it warns, and runs go on without it', async () => {
  const others = ['One', 'Two', 'Three'].map((name) => [name, 1] as const);
  const connection = await Connection.connect({ address: server.address });
  cleanUp.push(() => connection.close());
  const searchAttributes = Object.fromEntries(others);
  await connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  const worker = home.startProcess(['worker']);
  await worker.says(/Runs cannot be found by their questions.*cannot have more than 3 search attribute of type Text/);
  await worker.says(/Worker on/);
  const { status } = await home.run(['ask', 'What is a worker?', '--id', 'full']);
  expect(status).toBe(0);
  const reprise = await home.client();
  const { memo, typedSearchAttributes } = await reprise.client.workflow.getHandle('full').describe();
  await reprise.close();
  expect(memo).toMatchObject({ question: 'What is a worker?' });
  const names = typedSearchAttributes.getAll().map(({ key }) => key.name);
  expect(names).toContain('RepriseOutcome');
  expect(names).not.toContain('RepriseQuestion');
  worker.process.kill('SIGTERM');
  expect(await worker.finished).toMatchObject({ status: 0 });
});

test('that is asked to end lets its calls in flight finish', async () => {
  const started = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const model = await startModelServer(
    teamScript({
      answer: async ({ agent }) => {
        started.resolve();
        await held.promise;
        return answer(`Answer of ${agent}.`);
      },
    }),
  );
  cleanUp.push(() => model.close());
  const keys = { OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai };
  const first = home.startProcess(['worker'], keys);
  await first.says(/Worker on/);
  await home.run(['ask', 'Finish what you began.', '--detach', '--id', 'begun'], keys);
  await started.promise;
  first.process.kill('SIGTERM');
  await first.says(/Finishing the calls in flight/);
  held.resolve();
  expect(await first.finished).toMatchObject({ status: 0 });
  const calls = model.requests.length;

  const second = home.startProcess(['worker'], keys);
  const { status } = await home.run(['watch', 'begun'], keys);
  expect(status).toBe(0);
  expect(new Set(model.requests.map(({ raw }) => raw)).size).toBe(model.requests.length);
  expect(calls).toBeGreaterThanOrEqual(3);
  second.process.kill('SIGTERM');
  await second.finished;
});
