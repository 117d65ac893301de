import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { newRunId } from '../../src/client.ts';
import type { CallToolInput, CallToolResult, SideEffects } from '../../src/protocol/tools/tool.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { testCaller } from '../support/activity-bench.ts';

const running = sharedRunning(() => ({ REPRISE_ALLOW: 'modules' }));

const sleeper = `
  export const tools = [{
    name: 'sleep',
    description: 'Never wakes up.',
    parameters: { type: 'object' },
    execute(_, { signal }) {
      const { toolEvents } = globalThis;
      toolEvents.dispatchEvent(new Event('started'));
      signal.addEventListener('abort', () => toolEvents.dispatchEvent(new Event('aborted')));
      return new Promise(() => {});
    },
  }];
`;

const start = ({ client, taskQueue }: SharedRunning, inputs: CallToolInput[]) =>
  client.workflow.start<() => Promise<CallToolResult[]>>('toolCalls', {
    taskQueue,
    workflowId: `${taskQueue}-${newRunId('tools')}`,
    args: [inputs] as never,
  });
const inputOf = (name: string, from: string, sideEffects: SideEffects, args = {}): CallToolInput => ({
  tool: { name, source: { package: from }, sideEffects, timeout: 600 },
  arguments: args,
  agent: 'agent_a',
  caller: testCaller,
});

test('a run that is cancelled ends its tools, even one that does not listen', async () => {
  const events = new EventTarget();
  (globalThis as { toolEvents?: EventTarget }).toolEvents = events;
  const heard = (type: string): Promise<unknown> => new Promise((resolve) => events.addEventListener(type, resolve));
  const worker = running(() => ({ text: '' }));
  mkdirSync(join(worker.home, 'tools'));
  writeFileSync(join(worker.home, 'tools', 'sleeper.js'), sleeper);

  const [started, aborted] = [heard('started'), heard('aborted')];
  const run = await start(worker, [inputOf('sleep', 'tools.sleeper', 'undeclared')]);
  await started;
  await run.cancel();
  // Long before its time is up.
  await aborted;
  const error = await run.result().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
});

test('a tool without side effects runs as an activity of its own too', async () => {
  const worker = running(() => ({ text: '' }));
  const sum = inputOf('calculate', 'builtin.calculator', 'none', { expression: '2 + 3' });
  expect(await (await start(worker, [sum])).result()).toEqual([{ status: 'ok', text: '5' }]);
});
