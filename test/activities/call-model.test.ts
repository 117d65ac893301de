import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createCallModel } from '../../src/activities/model.ts';
import type { AssistantMessage, NewMessage, ToolSpec } from '../../src/protocol/message.ts';
import type { CallModelInput, CallModelResult, Finish } from '../../src/protocol/model-call.ts';
import type { Model, ModelRequest } from '../../src/models/model.ts';
import type { Rates } from '../../src/models/rates/rates.ts';
import { hashOf } from '../../src/util/ids.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { testCaller } from '../support/activity-bench.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-call-'));
const store = openSqliteStore(join(folder, 'store.sqlite'));
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
const user = (content: NewMessage['content']): NewMessage => ({ role: 'user', content });

/** Calls the activity as one of run `r`, with a model that records what it is asked. */
function caller(
  answer: (request: ModelRequest) => AssistantMessage | Promise<AssistantMessage>,
  rates?: Rates,
  finish: Finish = 'stop',
) {
  const seen: ModelRequest[] = [];
  const model: Model = {
    async complete(request) {
      seen.push(request);
      return { message: await answer(request), finish, usage };
    },
  };
  const callModel = createCallModel({ store, openModel: () => model, ...(rates && { rates }) });
  const run = (
    activityId: string,
    input: Partial<CallModelInput>,
    attempt = 1,
  ): { environment: MockActivityEnvironment; result: Promise<CallModelResult> } => {
    const environment = new MockActivityEnvironment({
      activityId,
      attempt,
      workflowExecution: { workflowId: 'w', runId: 'r' },
    });
    const full: CallModelInput = {
      backend: { type: 'offline' },
      transcript: null,
      append: [],
      tools: null,
      caller: testCaller,
      ...input,
    };
    return { environment, result: environment.run(callModel, full) };
  };
  return { seen, run };
}

const says = (content: string) => (): AssistantMessage => ({ role: 'assistant', content });
let count = 0;
const newId = (): string => `model-${++count}`;

describe('callModel', () => {
  test('a retry after the commit finds the reply, and does not call again', async () => {
    const { seen, run } = caller(says('Once.'));
    const id = newId();
    const first = await run(id, { append: [user('Hi')] }).result;
    const again = await run(id, { append: [user('Hi')] }).result;
    expect(again).toEqual(first);
    expect(seen).toHaveLength(1);
  });

  test.each([
    ['a retry', 'that was taken for dead', 2],
    ['a first attempt', 'that has come after it, while its worker was frozen', 1],
  ])('%s that has waited for its place finds the reply of one %s', async (_, __, attempt) => {
    const id = newId();
    const alive = caller(says('Late.'));
    const given: number[] = [];
    let kept: CallModelResult | undefined;
    const place = async () => {
      kept = await alive.run(id, { append: [user('Hi')] }, 3 - attempt).result;
      return (tokens: number) => void given.push(tokens);
    };
    const { run, seen } = caller(says('Twice.'), { place, pause: () => Promise.resolve() });
    expect(await run(id, { append: [user('Hi')] }, attempt).result).toEqual(kept);
    expect(seen).toEqual([]);
    // No tokens went to the provider.
    expect(given).toEqual([0]);
  });

  test('a reply that comes while the request is made ready is found right before it is sent', async () => {
    const id = newId();
    const sent: string[] = [];
    const alive = caller(says('Late.'));
    const frozen = caller(async ({ beforeSend }) => {
      await alive.run(id, { append: [user('Hi')] }, 2).result;
      // As the guarded fetch does it.
      await beforeSend?.();
      sent.push('Twice.');
      return { role: 'assistant', content: 'Twice.' };
    });
    expect((await frozen.run(id, { append: [user('Hi')] }).result).reply.content).toBe('Late.');
    expect(sent).toEqual([]);
  });

  test('a reply is kept though its tries cannot be counted, as while a backup is put back', async () => {
    const tries = vi.spyOn(store, 'tries').mockRejectedValueOnce(new Error('no such table: tries'));
    const { result } = caller(says('Paid.')).run(newId(), { append: [user('Hi')] });
    expect((await result.finally(() => tries.mockRestore())).reply.content).toBe('Paid.');
  });

  test('the same activity with another input is a call of its own', async () => {
    const { seen, run } = caller(says('Yes.'));
    const id = newId();
    await run(id, { append: [user('Hi')] }).result;
    await run(id, { append: [user('Ho')] }).result;
    expect(seen).toHaveLength(2);
  });

  test('of two workers that race for one call both get the reply that was committed first', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const one = caller(async () => {
      await promise;
      return { role: 'assistant', content: 'Reply 1.' };
    });
    const other = caller(says('Reply 2.'));
    const id = newId();
    const slow = one.run(id, { append: [user('Hi')] }).result;
    const quick = await other.run(id, { append: [user('Hi')] }).result;
    resolve();
    expect(quick.reply.content).toBe('Reply 2.');
    expect(await slow).toEqual(quick);
  });

  test('a retry while its worker still has the reply under way waits for that, and does not call again', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { seen, run } = caller(async () => {
      await promise;
      return { role: 'assistant', content: 'Once.' };
    });
    const id = newId();
    const first = run(id, { append: [user('Hi')] });
    first.environment.cancel('TIMED_OUT', new ActivityCancellationDetails({ timedOut: true }));
    const again = run(id, { append: [user('Hi')] }, 2).result;
    resolve();
    expect(await again).toEqual(await first.result);
    expect(seen).toHaveLength(1);
  });

  test('a model gets the images that the conversation names, and segments hold their names alone', async () => {
    const blob = await store.putBlob('cGl4ZWw=');
    const shown: NewMessage = { ...user('Look.'), images: [{ blob, mediaType: 'image/png' }] } as NewMessage;
    const { seen, run } = caller(says('A pixel.'));
    const first = await run(newId(), { append: [shown] }).result;
    await run(newId(), { transcript: first.transcript, append: [user('And now?')] }).result;
    expect(seen.map(({ images }) => images)).toEqual([new Map([[blob, 'cGl4ZWw=']]), new Map([[blob, 'cGl4ZWw=']])]);
    expect(await store.messages(first.transcript.id)).toEqual([shown, { role: 'assistant', content: 'A pixel.' }]);
  });

  test('a conversation without images is stored as ever, and comes to a model without any', async () => {
    const { seen, run } = caller(says('Yes.'));
    const { transcript } = await run(newId(), { append: [user('Hi')] }).result;
    expect(transcript.id).toBe(hashOf('\n[{"role":"user","content":"Hi"},{"role":"assistant","content":"Yes."}]'));
    expect(seen[0]).not.toHaveProperty('images');
  });

  test('a model gets the whole conversation, with named texts in full', async () => {
    const call = { id: 'c1', name: 'new_answer', arguments: '{"content":"A long answer."}' };
    const first = await caller(() => ({ role: 'assistant', content: 'Here.', toolCalls: [call] })).run(newId(), {
      append: [user('Hi')],
    }).result;
    const blob = await store.putBlob('A stored text.');
    const { seen, run } = caller(says('Good.'));
    const segment = first.transcript.id;
    await run(newId(), {
      transcript: first.transcript,
      append: [
        { role: 'tool', callId: 'c1', content: 'Recorded.' },
        user([
          'One: ',
          { blob },
          ' Two: ',
          { segment },
          ' Three: ',
          { segment, call: { id: 'c1', argument: 'content' } },
        ]),
      ],
    }).result;
    expect(seen[0]?.messages).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Here.', toolCalls: [call] },
      { role: 'tool', callId: 'c1', content: 'Recorded.' },
      { role: 'user', content: 'One: A stored text. Two: Here. Three: A long answer.' },
    ]);
  });

  test('heartbeats carry the text in progress, also while the model is silent', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { run } = caller(async ({ onDelta }) => {
      onDelta('Half of it');
      await promise;
      return { role: 'assistant', content: 'Half of it, and the rest.' };
    });
    const { environment, result } = run(newId(), { append: [user('Hi')] });
    const beats: unknown[] = [];
    environment.on('heartbeat', (beat: unknown) => beats.push(beat) === 2 && resolve());
    await result;
    expect(beats.slice(0, 2)).toEqual(
      Array.from({ length: 2 }, () => ({ partial: 'Half of it', characters: 10, attempt: 1 })),
    );
  });

  test('a cancelled call ends at once, and what it has probably cost is noted', async () => {
    const { promise: started, resolve: hasStarted } = Promise.withResolvers<void>();
    const { run } = caller(
      ({ signal, onDelta }) =>
        new Promise((_, reject) => {
          onDelta('Twelve chars');
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          hasStarted();
        }),
    );
    const id = newId();
    const { environment, result } = run(id, { append: [user('x'.repeat(400))] });
    await started;
    environment.cancel();
    await expect(result).rejects.toBeInstanceOf(CancelledFailure);
    expect((await store.spent([`r/${id}`])).get(`r/${id}`)).toEqual({
      inputTokens: 100,
      cachedInputTokens: 0,
      outputTokens: 3,
      estimated: true,
    });
  });
});

const vote: ToolSpec = {
  name: 'vote',
  description: 'Vote.',
  parameters: {
    type: 'object',
    properties: { agent_id: { type: 'string', enum: ['agent1', 'agent2'] }, reason: { type: 'string' } },
    required: ['agent_id', 'reason'],
  },
};

describe('a tool call is checked against its schema', () => {
  const digest = expect.stringMatching(/^[\w-]{12}$/) as string;

  test.each([
    [
      'what fits comes parsed',
      'vote',
      '{"agent_id":"agent1","reason":"r"}',
      { input: { agent_id: 'agent1', reason: 'r' } },
    ],
    [
      'a tool that there is not',
      'votes',
      '{}',
      { error: 'No such tool available: votes (Tool votes not found; there are: vote)', digest },
    ],
    [
      'arguments that are no JSON',
      'vote',
      '{"agent_id": ',
      { error: expect.stringMatching(/^the arguments of vote are not valid JSON: /), digest },
    ],
    [
      'a missing argument',
      'vote',
      '{"agent_id":"agent1"}',
      { error: expect.stringMatching(/do not fit: reason: /), digest },
    ],
    [
      'a value that is none of the choices',
      'vote',
      '{"agent_id":"agent9","reason":"r"}',
      { error: expect.stringMatching(/agent_id: .*"agent1", "agent2"/), digest },
    ],
  ])('%s', async (_, name, text, expected) => {
    const tools = await store.putBlob(JSON.stringify([vote]));
    const { run } = caller(() => ({
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c1', name, arguments: text }],
    }));
    const { reply } = await run(newId(), { append: [user('Hi')], tools: { blob: tools } }).result;
    expect(reply.calls).toEqual([{ id: 'c1', name, ...expected }]);
  });

  test.each([
    ['letters', 'x', 1_000_001],
    ['Chinese', '中', 400_000],
    ['what JSON escapes', '"', 600_000],
  ])('a reply of over a million bytes is cut, told and stored alike, and says so: %s', async (_, letter, times) => {
    const { reply, transcript } = await caller(says(letter.repeat(times))).run(newId(), { append: [user('Hi')] })
      .result;
    expect(reply.content).toMatch(/\n\[… [\d,]+ of [\d,]+ characters were left out here\]$/);
    expect(reply.finish).toBe('length');
    expect(Buffer.byteLength(JSON.stringify(reply))).toBeLessThan(1_000_000);
    expect((await store.messages(transcript.id)).at(-1)).toEqual({ role: 'assistant', content: reply.content });
  });

  test('calls that are too large are refused, and what was written of them is not stored', async () => {
    const call = { id: 'c1', name: 'vote', arguments: JSON.stringify({ agent_id: 'agent1', reason: 'r'.repeat(1e6) }) };
    const tools = await store.putBlob(JSON.stringify([vote]));
    const { run } = caller(() => ({ role: 'assistant', content: 'So.', toolCalls: [call] }));
    const { reply, transcript } = await run(newId(), { append: [user('Hi')], tools: { blob: tools } }).result;
    expect(reply).toEqual({
      content: 'So.',
      calls: [{ id: 'c1', name: 'vote', error: expect.stringMatching(/be shorter$/) as string }],
      finish: 'length',
    });
    const written = { role: 'assistant', content: 'So.', toolCalls: [{ ...call, arguments: '{}' }] };
    expect((await store.messages(transcript.id)).at(-1)).toEqual(written);
  });

  test('arguments that were mended are stored so, and later messages can name them', async () => {
    const call = { id: 'c1', name: 'vote', arguments: '{"input": {"agent_id": "AGENT1", "reason": 7}}' };
    const tools = await store.putBlob(JSON.stringify([vote]));
    const { run } = caller(() => ({ role: 'assistant', content: '', toolCalls: [call] }));
    const { reply, transcript } = await run(newId(), { append: [user('Hi')], tools: { blob: tools } }).result;
    expect(reply.calls).toEqual([{ id: 'c1', name: 'vote', input: { agent_id: 'agent1', reason: '7' } }]);
    const { seen, run: next } = caller(says('Yes.'));
    const place = { segment: transcript.id, call: { id: 'c1', argument: 'reason' } };
    await next(newId(), { append: [user(['It said: ', place])] }).result;
    expect(seen[0]?.messages[0]?.content).toBe('It said: 7');
  });

  test('a reply that ends for calls and has none is no answer, unless they are written as text or none may be made', async () => {
    const tools = { blob: await store.putBlob(JSON.stringify([vote])) };
    const lost = caller(says('I vote now.'), undefined, 'tool_calls');
    await expect(lost.run(newId(), { tools }).result).rejects.toMatchObject({ type: 'BadReply', nonRetryable: false });
    const none = await lost.run(newId(), { tools, toolChoice: 'none' }).result;
    expect(none.reply.content).toBe('I vote now.');
    const text = '{"name": "vote", "arguments": {"agent_id": "agent1", "reason": "r"}}';
    const written = await caller(says(text), undefined, 'tool_calls').run(newId(), { tools }).result;
    expect(written.reply.calls).toMatchObject([{ name: 'vote' }]);
  });

  test('a call that is written as text is one, also where none may be made: it is no words for a reader', async () => {
    const tools = { blob: await store.putBlob(JSON.stringify([{ ...vote, asText: true }])) };
    const { run } = caller(says('{"name": "vote", "arguments": {"agent_id": "agent1", "reason": 7}}'));
    const { reply, transcript } = await run(newId(), { append: [user('Hi')], tools }).result;
    expect(reply).toMatchObject({ content: '', calls: [{ name: 'vote', input: { agent_id: 'agent1', reason: '7' } }] });
    const { seen, run: next } = caller(says('Yes.'));
    const place = { segment: transcript.id, call: { id: reply.calls[0]?.id ?? '', argument: 'reason' } };
    await next(newId(), { append: [user(['It said: ', place])] }).result;
    expect(seen[0]?.messages[0]?.content).toBe('It said: 7');
    const none = await run(newId(), { append: [user('Hi')], tools, toolChoice: 'none' }).result;
    expect(none.reply).toMatchObject({ content: '', calls: [{ name: 'vote' }] });
  });
});
