import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { startGrpcProxy } from '../support/grpc-proxy.ts';
import { quietRuntime } from '../../src/worker/quiet-runtime.ts';

const { PollWorkflowTaskQueueResponse: Poll } = proto.temporal.api.workflowservice.v1;
const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const fixture = pathOf('../fixtures/untold/workflow.ts');

/** A reply that is held back: `come` resolves when it is there, `pass` lets it go. */
function held() {
  const come = Promise.withResolvers<void>();
  const passed = Promise.withResolvers<void>();
  return { come: come.promise, take: () => (come.resolve(), passed.promise), pass: () => passed.resolve() };
}

// What a worker fetches for a query ends with the update's task, which has only begun. Without our refusal of such queries,
// the first makes the SDK's core answer the task without the update, so that the server drops the task. Behind the second
// one, core takes the end of the activity, which gets that task's numbers, for known: the run would never hear of it.
test('a run hears of what comes, whatever was fetched for queries while a task was under way', async () => {
  quietRuntime();
  const { address } = inject('temporal');
  const [first, second, task, fetched] = [held(), held(), held(), held()];
  const queries = [first, second];
  let fetches = 0;
  let isUnderWay = false;
  const proxy = await startGrpcProxy(address, (method, reply) => {
    if (!isUnderWay) return undefined;
    if (method === 'GetWorkflowExecutionHistory' && ++fetches === 2) return fetched.take();
    if (method !== 'PollWorkflowTaskQueue') return undefined;
    const { messages, query } = Poll.decode(reply);
    if (query) return queries.shift()?.take();
    return messages.length > 0 ? task.take() : undefined;
  });
  const connection = await NativeConnection.connect({ address: proxy.address });
  const taskQueue = `untold-${process.pid}`;
  const gates = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: fixture,
    interceptors: { workflowModules: [fixture, pathOf('../../src/workflows/runtime/activations.ts')] },
    activities: { step: (number: number) => gates[number - 1]?.promise.then(() => number) },
  });
  const direct = await Connection.connect({ address });
  const { workflow } = new Client({ connection: direct });
  await worker.runUntil(async () => {
    const run = await workflow.start('session', { taskQueue, workflowId: taskQueue });
    gates[0]?.resolve();
    const done = (): Promise<number[]> => run.query<number[]>('done');
    await expect.poll(done).toEqual([1]);
    await expect(run.query('forget')).rejects.toThrow('forgotten');
    isUnderWay = true;
    const asked = [done(), done()].map((query) => query.catch(() => 'ask again'));
    await Promise.all([first.come, second.come]);
    const update = run.executeUpdate<number[], []>('done');
    await task.come;
    first.pass();
    second.pass();
    await fetched.come;
    await Promise.race(asked);
    task.pass();
    const told = await update.catch((error: unknown) => error);
    fetched.pass();
    await Promise.all(asked);
    isUnderWay = false;
    for (const gate of gates) gate.resolve();
    expect(await run.result()).toEqual([1, 2, 3]);
    expect(told).toEqual([1]);
  });
  await Promise.all([direct.close(), connection.close()]);
  proxy.close();
});
