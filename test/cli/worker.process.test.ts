import { Connection } from '@temporalio/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Home } from '../support/cli.ts';
import { startModelServer } from '../support/model-server.ts';
import { startRefusingProxy } from '../support/refusing-proxy.ts';
import { answer, teamScript } from '../support/team-script.ts';

let home: Home;
let cleanUp: Array<() => unknown>;
beforeEach(async () => {
  home = await Home.make();
  // Others have the search attributes already.
  await home.inNamespace();
  cleanUp = [];
});
afterEach(async () => {
  for (const step of cleanUp.toReversed()) await step();
  await home.remove();
});

const operatorService = 'temporal.api.operatorservice.v1.OperatorService';

test('where it may not register them it says what to run, and ends with status 3 without polling', async () => {
  const proxy = await startRefusingProxy(home.address, [operatorService]);
  cleanUp.push(() => proxy.close());
  const { status, stderr } = await home.runProcess(['worker', '--temporal', proxy.address]);
  expect(status).toBe(3);
  for (const words of [
    '--name RepriseWaiting --type Keyword',
    '--name RepriseAttempt --type Int',
    '--name RepriseOutcome --type Keyword',
  ])
    expect(stderr).toContain(
      `temporal operator search-attribute create --namespace ${home.temporal.TEMPORAL_NAMESPACE} ${words}`,
    );
  expect(proxy.calls.filter((path) => path.includes('/Poll'))).toEqual([]);
});

test('a namespace without room for the question as well: it warns, and runs go on without it', async () => {
  const others = ['One', 'Two', 'Three'].map((name) => [name, 1] as const);
  const connection = await Connection.connect({ address: home.address });
  cleanUp.push(() => connection.close());
  const searchAttributes = Object.fromEntries(others);
  const { TEMPORAL_NAMESPACE: namespace } = home.temporal;
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
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

test('registers the search attributes that are missing, is found by commands, lets its calls in flight finish when it is to end, and is followed by one that may not register them', async () => {
  const started = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const model = await startModelServer(
    teamScript({
      answer: async ({ agent, prompt }) => {
        if (prompt.includes('Finish what you began.')) {
          started.resolve();
          await held.promise;
        }
        return answer(`Answer of ${agent}.`);
      },
    }),
  );
  cleanUp.push(() => model.close());
  const keys = { OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai };
  const first = home.startProcess(['worker'], keys);
  await first.says(/Worker on 127\.0\.0\.1:\d+, namespace reprise-cli-/);
  const asked = await home.run(['ask', 'What is a worker?'], keys);
  expect(asked.status).toBe(0);
  expect(asked.stderr).not.toContain('Starting Temporal');
  expect(home.holder).toBeUndefined();
  const reprise = await home.client();
  const found = await reprise.client.workflow.count("RepriseOutcome = 'submitted' AND RepriseAttempt = 1");
  await reprise.close();
  expect(found.count).toBe(1);

  await home.run(['ask', 'Finish what you began.', '--detach', '--id', 'begun'], keys);
  await started.promise;
  first.process.kill('SIGTERM');
  await first.says(/Finishing the calls in flight/);
  held.resolve();
  expect(await first.finished).toMatchObject({ status: 0 });

  const proxy = await startRefusingProxy(home.address, [operatorService]);
  cleanUp.push(() => proxy.close());
  const second = home.startProcess(['worker', '--temporal', proxy.address], keys);
  await second.says(/Worker on/);
  const { status } = await home.run(['watch', 'begun'], keys);
  expect(status).toBe(0);
  expect(new Set(model.requests.map(({ raw }) => raw)).size).toBe(model.requests.length);
  second.process.kill('SIGTERM');
  expect(await second.finished).toMatchObject({ status: 0 });
});
