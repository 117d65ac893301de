import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { describe, expect, test, type TestContext } from 'vitest';
import type { CallToolInput, CallToolResult, SideEffects } from '../../src/protocol/tools/tool.ts';
import { Machine } from '../support/processes.ts';
import { startSink, type Sink } from '../support/sink.ts';
import { testCaller } from '../support/activity-bench.ts';

/** As many calls as are killed, all at the same moment. */
const calls = 100;

const bookingTool = `
  export const tools = [{
    name: 'book',
    description: 'Books a room.',
    parameters: { type: 'object' },
    async execute(_: unknown, { idempotencyKey, signal }: { idempotencyKey: string; signal: AbortSignal }) {
      const headers = { 'idempotency-key': idempotencyKey };
      const response = await fetch(process.env.SINK_URL ?? '', { method: 'POST', headers, signal });
      return response.text();
    },
  }];
`;

interface Stage {
  machine: Machine;
  sink: Sink;
  run: WorkflowHandle<() => Promise<CallToolResult[]>>;
}

/** Starts a run of which every call has taken effect at the sink, and none was acknowledged. */
async function stage({ onTestFinished }: TestContext, sideEffects: SideEffects): Promise<Stage> {
  const sink = await startSink(sideEffects === 'idempotent');
  const machine = new Machine({ SINK_URL: sink.url });
  onTestFinished(async () => {
    await Promise.all([machine.killWorker(), machine.killServer(), sink.close()]);
    rmSync(machine.home, { recursive: true, force: true });
  });
  mkdirSync(join(machine.home, 'tools'));
  writeFileSync(join(machine.home, 'tools', 'rooms.ts'), bookingTool);
  await machine.startServer();
  await machine.startWorker();
  const connection = await Connection.connect({ address: machine.address });
  onTestFinished(() => connection.close());
  const tool = { name: 'book', source: { package: 'tools.rooms' }, sideEffects, timeout: 60 };
  const input: CallToolInput = { tool, arguments: {}, agent: 'agent_a', caller: testCaller };
  const run = await new Client({ connection }).workflow.start('toolCalls', {
    taskQueue: 'reprise',
    workflowId: 'calls',
    args: [Array.from({ length: calls }, () => input)],
  });
  await expect.poll(() => sink.requests.length).toBe(calls);
  return { machine, sink, run };
}

function journalled({ home }: Machine): number {
  const database = new DatabaseSync(join(home, 'store.sqlite'), { readOnly: true, timeout: 5000 });
  const row = database.prepare('SELECT count(*) AS results FROM tool_results').get();
  database.close();
  return Number(row?.['results']);
}

/** Every key took effect, and took effect once. */
function expectNoDuplicates({ effects }: Sink): void {
  expect([...effects.values()]).toEqual(Array.from({ length: calls }, () => 1));
}

// Side by side, since most of their time is the wait for the heartbeat timeout of a dead worker's calls.
describe.concurrent(`kill -9 of a worker with ${calls} tool calls under way`, { timeout: 600_000 }, () => {
  test('after their effect, before its acknowledgement: a tool that must not run twice is not run twice', async (context) => {
    const { machine, sink, run } = await stage(context, 'once');
    await machine.killWorker();
    sink.release();
    await machine.startWorker();
    for (const { status, text } of await run.result()) {
      expect(status).toBe('exception');
      expect(text).toMatch(/^the worker died while book ran: it may or may not have taken effect/);
    }
    expect(sink.requests).toHaveLength(calls);
    expectNoDuplicates(sink);
  });

  test('the same of a tool that honours its key: it is run again with the same key', async (context) => {
    const { machine, sink, run } = await stage(context, 'idempotent');
    await machine.killWorker();
    sink.release();
    await machine.startWorker();
    for (const result of await run.result()) expect(result).toEqual({ status: 'ok', text: 'Booked' });
    expect(sink.requests).toHaveLength(2 * calls);
    expectNoDuplicates(sink);
  });

  test('after their results are journalled, before Temporal knows: nothing is run again, nothing is lost', async (context) => {
    const { machine, sink, run } = await stage(context, 'once');
    // The server is stopped, so that no result can be acknowledged; each is journalled all the same.
    machine.pauseServer();
    sink.release();
    await expect.poll(() => journalled(machine)).toBe(calls);
    await machine.killWorker();
    machine.resumeServer();
    await machine.startWorker();
    for (const result of await run.result()) expect(result).toEqual({ status: 'ok', text: 'Booked' });
    expect(sink.requests).toHaveLength(calls);
    expectNoDuplicates(sink);
  });
});
