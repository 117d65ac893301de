import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { MessageRefusedError } from '../../src/client.ts';
import { Reprise } from '../../src/client/reprise.ts';
import { TemporalRuns } from '../../src/client/temporal/runs.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { maxMessageChars, type PendingQuestion } from '../../src/protocol/questions.ts';
import { asks, askingTeam } from '../support/asking.ts';
import { running, sharedRunning, type SharedRunning } from '../support/running.ts';

const shared = sharedRunning();
const minutes = 60_000;

const clientOf = ({ client, home, taskQueue }: SharedRunning): Reprise =>
  new Reprise(new TemporalRuns(client, client.connection, { taskQueue, home, environment: {} }));

/** Sends signals until the server refuses them: the one of the tests takes 1000 in a run. @returns how many it took */
async function flood(
  handle: WorkflowHandle,
  signalOf: (index: number) => [name: string, ...input: unknown[]],
): Promise<number> {
  let [sent, taken] = [0, 0];
  const send = async (): Promise<void> => {
    while (sent < 1100) {
      const [name, ...input] = signalOf(sent++);
      try {
        await handle.signal(name, ...input);
        taken += 1;
      } catch (error) {
        expect(String((error as Error).cause)).toContain('exceeded workflow execution limit for signal events');
      }
    }
  };
  await Promise.all(Array.from({ length: 20 }, send));
  return taken;
}

async function questionOf(handle: WorkflowHandle): Promise<PendingQuestion> {
  let found: PendingQuestion | undefined;
  await expect
    .poll(async () => ([found] = await handle.query<PendingQuestion[]>('pendingQuestions')), { timeout: minutes })
    .toHaveLength(1);
  return found!;
}

const warnings = async (handle: WorkflowHandle): Promise<string[]> =>
  (await handle.query<RunEvent[]>('events')).flatMap((event) => (event.type === 'warning' ? [event.text] : []));

test(
  'a run that has had as many signals as the server takes still gets the answer that it waits for',
  { timeout: 10 * minutes },
  async () => {
    const run = shared(asks('Which color?'));
    const handle = await run.start({ task: 'T', config: askingTeam(3000) });
    const { questionId } = await questionOf(handle);
    const surplus = [
      { questionId: 'nosuch', answer: 'x' },
      { questionId: 'constructor', answer: 'x' },
      'no object',
      null,
    ];
    const taken = await flood(handle, (index) => {
      if (index % 7 === 0) return ['nosuch', index];
      if (index % 11 === 0) return ['approve', { id: 't99', action: 'allow' }];
      if (index % 26 === 0) return ['requestRestart', { reason: 'x', instructions: 'y'.repeat(maxMessageChars) }];
      if (index % 500 === 0) return ['answer', { questionId, answer: 'x'.repeat(900_000) }];
      return ['answer', surplus[index % surplus.length]];
    });
    expect(taken).toBe(1000);
    expect(await handle.query('state')).toMatchObject({ ignored: 1000 });
    const told = await warnings(handle);
    expect(told.length).toBeLessThan(60);
    expect(told.filter((text) => text.startsWith('More messages of this kind'))).toHaveLength(4);

    const person = clientOf(run).getRun(handle.workflowId);
    await expect(person.answer({ questionId: 'nosuch', answer: 'x' })).rejects.toThrow(MessageRefusedError);
    await expect(person.approve({ id: 't99', action: 'allow' })).rejects.toThrow('no tool call t99 waits for approval');
    await person.answer({ questionId, answer: 'Dark' });
    expect(await handle.result()).toMatchObject({ answer: 'Told: Dark.', humanQa: [{ answer: 'Dark' }] });
    const record = await person.show();
    expect(record.result).toMatchObject({ answer: 'Told: Dark.' });
  },
);

test('a flood that comes before the run begins leaves it what it needs', { timeout: 10 * minutes }, async () => {
  await using run = await running(asks('Which color?'));
  const options = { taskQueue: `${run.taskQueue}-later`, workflowId: `${run.taskQueue}-early` };
  const handle = await run.client.workflow.start('orchestration', {
    ...options,
    args: [{ task: 'T', config: askingTeam(3000) }],
  });
  await handle.signal('answer', { answer: 'Dark' });
  const taken = await flood(handle, (index) => ['answer', { questionId: `q${100 + index}`, answer: 'x' }]);
  expect(taken).toBe(999);
  await run.replaceWorker({}, options.taskQueue);
  expect(await handle.result()).toMatchObject({ answer: 'Told: Dark.' });
});

test('a signal that nobody can read is ignored, and holds nothing up', { timeout: 2 * minutes }, async () => {
  const run = shared(asks('Which color?'));
  const handle = await run.start({ task: 'T', config: askingTeam(3000) });
  const { questionId } = await questionOf(handle);
  for (const [encoding, data] of [
    ['json/plain', 'no json'],
    ['json/protobuf', '{}'],
    ['binary/encrypted', 'x'],
    ['no/encoding', 'x'],
  ] as const) {
    const payload = { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) };
    await run.client.workflowService.signalWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: handle.workflowId },
      signalName: 'answer',
      input: { payloads: [payload] },
    });
  }
  await handle.signal('answer', { questionId, answer: 'Dark' });
  expect(await handle.result()).toMatchObject({ answer: 'Told: Dark.' });
  expect(await warnings(handle)).toEqual(
    Array.from({ length: 4 }, () => expect.stringContaining('is not an object {questionId?, answer}') as string),
  );
});

test('a run ends although signals come all the time', { timeout: 2 * minutes }, async () => {
  const held = Promise.withResolvers<void>();
  const run = shared(async () => {
    await held.promise;
    return { text: 'Said.' };
  });
  const config = { agents: [{ id: 'a', backend: { type: 'openai', model: 'm' } }] };
  const handle = await run.startSession({ config, text: 'Hi' });
  await expect.poll(() => run.model.requests.length).toBe(1);
  const over = new AbortController();
  const result = handle.result().finally(() => over.abort());
  const send = async (): Promise<void> => {
    while (!over.signal.aborted) await handle.signal('nosuch').catch(() => over.abort());
  };
  const flooding = Promise.all(Array.from({ length: 4 }, send));
  held.resolve();
  expect(await result).toMatchObject({ answer: 'Said.' });
  await flooding;
  // The server does not let a run end that does not know of a signal yet. It then keeps further ones waiting.
  const failed = ((await handle.fetchHistory()).events ?? []).filter(
    (event) => event.workflowTaskFailedEventAttributes,
  );
  expect(failed.length).toBeLessThan(4);
});

test('a session goes on after a flood, and takes further turns', { timeout: 10 * minutes }, async () => {
  const run = shared(() => ({ text: 'Said.' }));
  const handle = await run.startSession({ config: { agents: [{ id: 'a', backend: { type: 'openai', model: 'm' } }] } });
  await handle.executeUpdate('handleText', { args: ['One'] });
  await flood(handle, () => ['answer', { answer: 'x' }]);
  const turns = await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      handle.executeUpdate<{ turn: number }, [string]>('handleText', { args: [`Two ${index}`] }),
    ),
  );
  expect(turns.map(({ turn }) => turn).toSorted((one, other) => one - other)).toEqual([2, 3, 4, 5, 6]);
  await clientOf(run).getSession(handle.workflowId).close();
  expect(await handle.result()).toMatchObject({ turns: 6 });
});
