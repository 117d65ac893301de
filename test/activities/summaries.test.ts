import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCallModel } from '../../src/activities/model.ts';
import { failureTypes } from '../../src/models/failures.ts';
import type { Model } from '../../src/models/model.ts';
import type { Message, TranscriptRef } from '../../src/protocol/message.ts';
import type { CallModelInput, CallModelResult } from '../../src/protocol/model-call.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { testCaller } from '../support/activity-bench.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-summaries-'));
const store = openSqliteStore(join(folder, 'store.sqlite'));
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const cost = {
  summary: { inputTokens: 70, cachedInputTokens: 0, outputTokens: 7 },
  reply: { inputTokens: 5, cachedInputTokens: 0, outputTokens: 1 },
};
const isSummary = ([first]: Message[]): boolean => first?.content.startsWith('You are given the beginning') ?? false;

/** Calls the activity with a model of 8,192 tokens, which says what it is to say or fails. */
function caller(fails: { summary?: ApplicationFailure; readonly reply?: ApplicationFailure | undefined } = {}) {
  const asked: Array<{ kind: 'summary' | 'reply'; messages: Message[] }> = [];
  const model: Model = {
    async complete({ messages, tools }) {
      const kind = isSummary(messages) ? 'summary' : 'reply';
      asked.push({ kind, messages });
      if (kind === 'summary') expect(tools).toEqual([]);
      const failure = fails[kind];
      if (failure !== undefined) throw failure;
      const content = kind === 'summary' ? 'Ada asked for 4711.' : 'Yes.';
      return { message: { role: 'assistant', content }, finish: 'stop', usage: cost[kind] };
    },
  };
  const callModel = createCallModel({ store, openModel: () => model });
  const call = (activityId: string, input: Partial<CallModelInput>, attempt = 1): Promise<CallModelResult> => {
    const info = { activityId, attempt, workflowExecution: { workflowId: 'w', runId: 'r' } };
    const full: CallModelInput = {
      backend: { type: 'openai', model: 'gpt-4' },
      transcript: null,
      append: [{ role: 'user', content: 'And now?' }],
      tools: null,
      caller: testCaller,
      ...input,
    };
    return new MockActivityEnvironment(info).run(callModel, full);
  };
  return { asked, call, kinds: () => asked.map(({ kind }) => kind) };
}

let count = 0;
/** A conversation of its own that is too long. */
async function longOne(): Promise<TranscriptRef> {
  const own = ++count;
  return store.putSegment(
    null,
    Array.from({ length: 60 }, (_, index): Message => {
      const role = index % 2 === 0 ? 'user' : 'assistant';
      return { role, content: `${own}.${index} ${'words '.repeat(100)}` };
    }),
  );
}

let transcript: TranscriptRef;
beforeAll(async () => {
  transcript = await longOne();
});

const passing = ApplicationFailure.retryable('overloaded', 'Overloaded');
const final = ApplicationFailure.nonRetryable('no', 'ContentFiltered');

test('what does not fit is summarised by a call of its own, which is counted apart, and the run is told', async () => {
  const { asked, call, kinds } = caller();
  const result = await call('model-1', { transcript });
  expect(kinds()).toEqual(['summary', 'reply']);
  expect(asked[0]?.messages[1]?.content).toContain('1.3 words');
  expect(asked[1]?.messages[1]?.content).toMatch(/^\[Summary of \d+ earlier messages, .*\]\nAda asked for 4711\.$/);
  expect(result).toMatchObject({
    usage: cost.reply,
    summary: cost.summary,
    notices: [expect.stringContaining('older messages were summarised by the model')],
    transcript: { messages: 62 },
  });
  expect(await store.spent(['r/model-1'])).toEqual(
    new Map([['r/model-1', { inputTokens: 75, cachedInputTokens: 0, outputTokens: 8 }]]),
  );
});

test('the next calls of the conversation find it, and so does whoever else has the same', async () => {
  const { asked, call, kinds } = caller();
  const { summary } = await call('model-2', {
    transcript,
    system: 'You are somebody else.',
    append: [{ role: 'user', content: 'Else?' }],
  });
  expect(summary).toBeUndefined();
  expect(kinds()).toEqual(['reply']);
  expect(asked[0]?.messages[2]?.content).toContain('Ada asked for 4711.');
});

test('it is paid for once, although the call that it was made for fails and is made again', async () => {
  const own = await longOne();
  await expect(caller({ reply: passing }).call('model-3', { transcript: own })).rejects.toThrow('overloaded');
  const { call, kinds } = caller();
  const result = await call('model-3', { transcript: own }, 2);
  expect(kinds()).toEqual(['reply']);
  expect(result).toMatchObject({ summary: cost.summary });
});

test('each of those that one call needs is counted', async () => {
  let refusals = 1;
  const { call, kinds } = caller({
    get reply() {
      return refusals-- > 0 ? ApplicationFailure.nonRetryable('too long', failureTypes.contextTooLong) : undefined;
    },
  });
  const { summary } = await call('model-again', { transcript: await longOne() });
  expect(kinds()).toEqual(['summary', 'reply', 'summary', 'reply']);
  expect(summary).toMatchObject({ inputTokens: 140, outputTokens: 14 });
});

test('agents that need it at the same time have it made once', async () => {
  const own = await longOne();
  const { call, kinds } = caller();
  const results = await Promise.all([4, 5, 6].map((number) => call(`model-${number}`, { transcript: own })));
  expect(kinds().filter((kind) => kind === 'summary')).toHaveLength(1);
  expect(results.filter(({ summary }) => summary !== undefined)).toHaveLength(1);
});

test('a model that refuses for good to summarise leaves a note in its place, and one that may say so later is asked again', async () => {
  const own = await longOne();
  await expect(caller({ summary: passing }).call('model-7', { transcript: own })).rejects.toThrow('overloaded');
  const { asked, call } = caller({ summary: final });
  const { reply } = await call('model-7', { transcript: own }, 2);
  expect(reply.content).toBe('Yes.');
  expect(asked.at(-1)?.messages[1]?.content).toMatch(/^\[\d+ earlier messages were left out here/);
});

test('a shadow, which is a moment of another conversation, has none made', async () => {
  const { call, kinds } = caller();
  await call('model-8', { transcript: await longOne(), shadow: {} });
  expect(kinds()).toEqual(['reply']);
});

test('a text that is stored by itself is named by the segments that have it, and read in its place', async () => {
  const list = 'All answers. '.repeat(1000);
  const blob = await store.putBlob(list);
  const { asked, call } = caller();
  const { transcript: after } = await call('model-9', {
    append: [{ role: 'user', content: [{ blob, preview: 'All' }, ' Vote.'] }],
  });
  expect(asked[0]?.messages).toEqual([{ role: 'user', content: `${list} Vote.` }]);
  expect(await store.segment(after.id)).toMatchObject([
    { role: 'user', content: [{ blob }, ' Vote.'] },
    { role: 'assistant' },
  ]);
  expect(await store.messages(after.id)).toMatchObject([{ content: `${list} Vote.` }, { content: 'Yes.' }]);
});
