import { Client, type ConnectionLike } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import { expect, test } from 'vitest';
import { listRuns } from '../../src/client/list.ts';

const input = (payload: object) => ({
  history: { events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: [payload] } } }] },
});

test('a run whose input cannot be read, or that is deleted at this moment, holds up no other', async () => {
  const inputs: Record<string, () => object> = {
    odd: () => input({ metadata: { encoding: Buffer.from('json/odd') }, data: Buffer.from('x') }),
    gone: () => {
      throw Object.assign(new Error('workflow not found'), { code: 5, details: 'workflow not found', metadata: {} });
    },
    good: () => input(defaultPayloadConverter.toPayload({ task: 'Which color?' })),
  };
  const executions = Object.keys(inputs).map((workflowId) => ({
    execution: { workflowId, runId: 'r' },
    type: { name: 'orchestration' },
    status: 2,
    historyLength: { toNumber: () => 1 },
    startTime: msToTs(1000),
    closeTime: msToTs(2000),
  }));
  const connection = {
    workflowService: {
      listWorkflowExecutions: async () => ({ executions, nextPageToken: new Uint8Array() }),
      getWorkflowExecutionHistory: async ({ execution }: { execution: { workflowId: string } }) =>
        inputs[execution.workflowId]?.(),
    },
    plugins: [],
  } as unknown as ConnectionLike;
  const runs = await listRuns(new Client({ connection }), {});
  expect(runs.map(({ id, question }) => [id, question])).toEqual([
    ['odd', ''],
    ['gone', ''],
    ['good', 'Which color?'],
  ]);
});
