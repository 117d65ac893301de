import { expect, test } from 'vitest';
import type { ReplyCall } from '../../../src/protocol/model-call.ts';
import { runCalls, type LoopContext } from '../../../src/workflows/agent/loop-context.ts';
import { Refusals } from '../../../src/workflows/agent/refusals.ts';

const callOf = (id: string): ReplyCall => ({ id, name: 'book', input: {} });

test.each([
  ['one after the other', false],
  ['side by side', true],
])('what was done before another call is broken off has its result: %s', async (_, parallel) => {
  const answered: string[] = [];
  const agent = { transcript: null, answerCall: (id: string) => answered.push(id) };
  const run = async (call: ReplyCall) => {
    if (call.id === 'broken') throw new Error('The turn was stopped');
    return { call, status: 'ok', text: 'Done', content: 'Done' };
  };
  const context = { agent, refusals: new Refusals(), run } as unknown as LoopContext;
  await expect(runCalls(context, ['done', 'broken'].map(callOf), parallel)).rejects.toThrow('The turn was stopped');
  expect(answered).toEqual(['done']);
  expect(await runCalls(context, ['one', 'two'].map(callOf), parallel)).toHaveLength(2);
  expect(answered).toEqual(['done', 'one', 'two']);
});
