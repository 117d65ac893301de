import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { test, type TestContext } from 'vitest';
import type { CallToolInput, CallToolResult, SideEffects } from '../../src/protocol/tools/tool.ts';
import { Machine } from '../support/processes.ts';
import { rowsIn } from '../support/rows.ts';
import { startSink, type Sink } from '../support/sink.ts';
import { testCaller } from '../support/activity-bench.ts';

/** How many calls of each run are killed, all at the same moment. */
const calls = 33;

const bookingTool = `
  export const tools = [{
    name: 'book',
    description: 'Books a room.',
    parameters: { type: 'object', properties: { url: { type: 'string' } } },
    async execute({ url }: { url: string }, { idempotencyKey, signal }: { idempotencyKey: string; signal: AbortSignal }) {
      const headers = { 'idempotency-key': idempotencyKey };
      const response = await fetch(url, { method: 'POST', headers, signal });
      return response.text();
    },
  }];
`;

interface Booking {
  sink: Sink;
  run: WorkflowHandle<() => Promise<CallToolResult[]>>;
}

/** Starts a run of which every call has taken effect at a sink of its own, and none was acknowledged. */
async function booking(context: TestContext, client: Client, sideEffects: SideEffects): Promise<Booking> {
  const { expect, onTestFinished } = context;
  const sink = await startSink(sideEffects === 'idempotent');
  onTestFinished(() => sink.close());
  const tool = { name: 'book', source: { package: 'tools.rooms' }, sideEffects, timeout: 60 };
  const input: CallToolInput = { tool, arguments: { url: sink.url }, agent: 'agent_a', caller: testCaller };
  const run = await client.workflow.start('toolCalls', {
    taskQueue: 'reprise',
    workflowId: sink.url,
    args: [Array.from({ length: calls }, () => input)],
  });
  await expect.poll(() => sink.requests.length).toBe(calls);
  return { sink, run };
}

test(
  'kill -9 of a worker with tool calls under way, after their effect and before its acknowledgement: one that must not run ' +
    'twice is not run twice, one that honours its key is run again with it, and one whose result is journalled is not run again',
  { timeout: 600_000 },
  async (context) => {
    const { expect, onTestFinished } = context;
    const machine = new Machine({});
    onTestFinished(async () => {
      await Promise.all([machine.killWorker(), machine.killServer()]);
      rmSync(machine.home, { recursive: true, force: true });
    });
    mkdirSync(join(machine.home, 'tools'));
    writeFileSync(join(machine.home, 'tools', 'rooms.ts'), bookingTool);
    await machine.startServer();
    await machine.startWorker();
    const connection = await Connection.connect({ address: machine.address });
    onTestFinished(() => connection.close());
    const client = new Client({ connection });
    const once = await booking(context, client, 'once');
    const byKey = await booking(context, client, 'idempotent');
    const journalled = await booking(context, client, 'once');

    // The server is stopped, so that no result can be acknowledged; each is journalled all the same.
    machine.pauseServer();
    journalled.sink.release();
    await expect.poll(() => rowsIn(machine.home, 'tool_results')).toBe(calls);
    await machine.killWorker();
    machine.resumeServer();
    for (const { sink } of [once, byKey]) sink.release();
    await machine.startWorker();

    for (const { status, text } of await once.run.result()) {
      expect(status).toBe('exception');
      expect(text).toMatch(/^the worker died while book ran: it may or may not have taken effect/);
    }
    for (const { run } of [byKey, journalled])
      for (const result of await run.result()) expect(result).toEqual({ status: 'ok', text: 'Booked' });
    const requests = [once, byKey, journalled].map(({ sink }) => sink.requests.length);
    expect(requests).toEqual([calls, 2 * calls, calls]);
    for (const { sink } of [once, byKey, journalled])
      expect([...sink.effects.values()]).toEqual(Array.from({ length: calls }, () => 1));
  },
);
