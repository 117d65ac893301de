import { randomBytes } from 'node:crypto';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { connect, encryptingDataConverter, UnknownKeyError, type Reprise } from '../../src/client.ts';
import { readKeys } from '../../src/encryption/keys.ts';
import { running } from '../support/running.ts';
import { answer, teamScript } from '../support/team-script.ts';

const newKey = (): string => randomBytes(32).toString('base64');

const idOf = (key: string): string | undefined => readKeys({ REPRISE_ENCRYPTION_KEY: key }).ids[0];

const connected = (taskQueue: string, encryptionKey = ''): Promise<Reprise> =>
  connect({ address: inject('temporal').address, taskQueue, encryptionKey });

/** All bytes that the server has of a run: its history, and what it tells of it. */
async function rawBytes({ client }: Reprise, id: string): Promise<Buffer> {
  const handle = client.workflow.getHandle(id);
  const { raw } = await handle.describe();
  const { History } = proto.temporal.api.history.v1;
  const { DescribeWorkflowExecutionResponse } = proto.temporal.api.workflowservice.v1;
  return Buffer.concat([
    History.encode(await handle.fetchHistory()).finish(),
    DescribeWorkflowExecutionResponse.encode(raw).finish(),
  ]);
}

const script = teamScript({ answer: () => answer('Canary-answer.') });

test('the server has nothing of what a run is about, and whoever has the key reads all of it', async () => {
  const key = newKey();
  await using run = await running(script, { REPRISE_ENCRYPTION_KEY: key });
  await using reprise = await connected(run.taskQueue, key);
  const started = await reprise.startOrchestration({ task: 'Canary-task' });
  expect((await started.result()).answer).toMatch(/final answer/);
  await using stranger = await connected(run.taskQueue);
  expect((await rawBytes(reprise, started.id)).toString('latin1')).not.toMatch(/canary|final answer|agent_a · /i);
  const shown = JSON.stringify(await started.show({ prompts: true, home: run.home }));
  expect(shown).toContain('Canary-answer.');
  expect(shown).toContain('Canary-task');
  const listed = async (each: Reprise) => (await each.list({ limit: 50 })).find(({ id }) => id === started.id);
  expect(await listed(reprise)).toMatchObject({ question: 'Canary-task', spent: { calls: expect.any(Number) } });
  const missing = `needs the encryption key ${idOf(key)}`;
  expect(await listed(stranger)).toMatchObject({ question: expect.stringContaining(missing), spent: null });
  expect((await stranger.stats()).unread).toBeGreaterThan(0);
  await expect(stranger.getRun(started.id).result()).rejects.toThrow(missing);
  await expect(stranger.getRun(started.id).show()).rejects.toBeInstanceOf(UnknownKeyError);
});

test('failures say nothing to the server, and everything to whoever has the key', async () => {
  const key = newKey();
  await using run = await running(script, { REPRISE_ENCRYPTION_KEY: key });
  await using reprise = await connected(run.taskQueue, key);
  const started = await reprise.startOrchestration({ task: 'Canary-task', config: 'canary-configuration' });
  await expect(started.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('canary-configuration') },
  });
  expect((await rawBytes(reprise, started.id)).toString('latin1')).not.toMatch(/canary/i);
  expect((await started.show()).failure).toContain('canary-configuration');
});

test('a run waits for a worker with its key, and says which one that is', async () => {
  const [old, next] = [newKey(), newKey()];
  await using run = await running(script, { REPRISE_ENCRYPTION_KEY: old });
  await using reprise = await connected(run.taskQueue, next);
  const started = await reprise.startOrchestration({ task: 'Canary-task' });
  const key = `This needs the encryption key ${idOf(next)}: REPRISE_ENCRYPTION_KEY has ${idOf(old)} here`;
  const needed = `The worker of the run ${started.id} cannot go on: ${key}`;
  await expect
    .poll(async () => (await started.show()).notes)
    .toContain(`No worker has told what the run is doing (${needed}); this is what it has done so far.`);
  for await (const { trouble } of started.watch()) {
    if (trouble === undefined) continue;
    expect(trouble.message).toBe(needed);
    break;
  }
  const session = reprise.getSession(`${started.id}-session`);
  const asked = [started.result(), started.state(), session.send('Canary-turn')];
  for (const each of await Promise.allSettled(asked))
    expect(String((each as PromiseRejectedResult).reason)).toContain(key);
  await session.terminate();
  // Both keys: runs from before and after the change go on.
  await run.replaceWorker({ REPRISE_ENCRYPTION_KEY: `${next},${old}` });
  // Until Temporal tries the task again, nobody gets on with the run.
  await expect.poll(async () => (await started.result()).answer).toMatch(/final answer/);
});

test('what is not encrypted is read all the same, such as inputs that the Temporal CLI sends', async () => {
  const key = newKey();
  await using run = await running(script, { REPRISE_ENCRYPTION_KEY: key });
  await using reprise = await connected(run.taskQueue, key);
  const handle = await run.start({ task: 'Canary-task' });
  const result = await reprise.getOrchestration(handle.workflowId).result();
  expect(result.answer).toMatch(/final answer/);
});

test('an encrypted history is replayed by whoever has the key', async () => {
  const key = newKey();
  const { bundle } = inject('temporal');
  await using run = await running(script, { REPRISE_ENCRYPTION_KEY: key });
  await using reprise = await connected(run.taskQueue, key);
  const started = await reprise.startOrchestration({ task: 'Canary-task' });
  await started.result();
  const history = await reprise.client.workflow.getHandle(started.id).fetchHistory();
  const replay = (encryptionKey: string) =>
    Worker.runReplayHistory(
      { workflowBundle: { codePath: bundle }, dataConverter: encryptingDataConverter(encryptionKey) },
      history,
    );
  await replay(key);
  await expect(replay(newKey())).rejects.toThrow(/needs the encryption key|Workflow Task/i);
});
