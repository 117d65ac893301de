import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterAll, describe, expect, test } from 'vitest';
import { createCallModel } from '../../src/activities/model.ts';
import type { Model, ModelRequest } from '../../src/models/model.ts';
import type { TokenUsage } from '../../src/protocol/message.ts';
import type { CallModelInput, CallModelResult } from '../../src/protocol/model-call.ts';
import { activityBench, testCaller } from '../support/activity-bench.ts';
import { keyMissing } from '../../src/config/variables.ts';

const bench = activityBench();
afterAll(() => bench.close());

const usage = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 20 };
const estimate = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 3, estimated: true };
const input: CallModelInput = {
  backend: { type: 'chatcompletion', model: 'm' },
  transcript: null,
  append: [{ role: 'user', content: 'x'.repeat(40) }],
  tools: null,
  caller: testCaller,
};

const reply = (stated: object = usage): Model['complete'] => {
  return async () => ({
    message: { role: 'assistant', content: 'Good.' },
    finish: 'stop',
    usage: stated as TokenUsage,
  });
};

/** Writes twelve characters and fails. */
const breaking = (type: string): Model['complete'] => {
  return async ({ onDelta }) => {
    onDelta('Twelve chars');
    throw ApplicationFailure.create({ type, message: 'It broke', details: ['The words'] });
  };
};

const refusing: Model['complete'] = () => {
  throw ApplicationFailure.create({ type: 'ServerError', message: 'Busy', nextRetryDelay: 5 });
};

let count = 0;
const newId = (): string => `model-${++count}`;

/** One try of a call. @returns its result, or the failure that Temporal would get */
async function attempt(
  activityId: string,
  number: number,
  complete: Model['complete'],
  { given = input, info = {} }: { given?: CallModelInput; info?: object } = {},
): Promise<CallModelResult | ApplicationFailure> {
  const environment = new MockActivityEnvironment(
    { activityId, attempt: number, workflowExecution: { workflowId: 'w', runId: 'r' }, ...info },
    { logger: new DefaultLogger('ERROR') },
  );
  const callModel = createCallModel({ store: bench.store, openModel: () => ({ complete }) });
  const result: Promise<CallModelResult> = environment.run(callModel, given);
  return result.catch((error: unknown) => error as ApplicationFailure);
}

const spentOn = async (id: string): Promise<TokenUsage | undefined> =>
  (await bench.store.spent([`r/${id}`])).get(`r/${id}`);

describe('what a call has cost', () => {
  test('does not displace the name of the key that its next worker lacks', async () => {
    const id = newId();
    await attempt(id, 1, breaking('ConnectionFailed'));
    const failure = await attempt(id, 2, () => {
      throw keyMissing('openai: OPENAI_API_KEY is not set', 'OPENAI_API_KEY');
    });
    expect(failure).toMatchObject({
      type: 'MissingKey',
      nonRetryable: true,
      details: ['openai: OPENAI_API_KEY is not set', { variable: 'OPENAI_API_KEY' }, estimate],
    });
  });

  test('includes the tries that failed after they had brought content', async () => {
    const id = newId();
    await attempt(id, 1, breaking('ConnectionFailed'));
    await attempt(id, 2, refusing);
    await attempt(id, 3, breaking('ConnectionFailed'));
    expect(await attempt(id, 4, reply())).toMatchObject({
      usage: { inputTokens: 120, cachedInputTokens: 40, outputTokens: 26, estimated: true },
    });
  });

  test('includes the tries before a run has made the call again, whose attempts then begin at 1', async () => {
    const id = newId();
    await attempt(id, 1, breaking('ConnectionFailed'), { info: { scheduledTimestampMs: 1000 } });
    await attempt(id, 1, breaking('ConnectionFailed'), { info: { scheduledTimestampMs: 6000 } });
    expect(await attempt(id, 2, reply(), { info: { scheduledTimestampMs: 6000 } })).toMatchObject({
      usage: { inputTokens: 120, cachedInputTokens: 40, outputTokens: 26, estimated: true },
    });
  });

  test('is the provider’s own count where nothing failed, or nothing that had brought content', async () => {
    const id = newId();
    await attempt(id, 1, refusing);
    expect(await attempt(id, 2, reply())).toMatchObject({ usage });
    expect(await spentOn(id)).toEqual(usage);
  });

  test('is known of a call that never succeeds: in the failure, and in the store', async () => {
    const id = newId();
    const failed = (await attempt(id, 1, breaking('ServerError'))) as ApplicationFailure;
    expect(failed.details).toEqual(['The words', estimate]);
    expect(await spentOn(id)).toEqual(estimate);
  });

  test('includes a try whose worker died, by its last heartbeat', async () => {
    const id = newId();
    const info = { heartbeatDetails: { partial: 'Twelve chars', characters: 12, attempt: 1 } };
    await attempt(id, 2, reply(), { info });
    expect(await spentOn(id)).toEqual({ inputTokens: 110, cachedInputTokens: 40, outputTokens: 23, estimated: true });
  });

  test('includes no try twice that recorded itself before its worker died', async () => {
    const id = newId();
    await attempt(id, 1, breaking('ServerError'));
    const info = { heartbeatDetails: { partial: 'Twelve chars', characters: 12, attempt: 1 } };
    await attempt(id, 2, refusing, { info });
    expect(await spentOn(id)).toEqual(estimate);
  });

  test.each([
    ['a text', { ...usage, inputTokens: '0NaN' }],
    ['not a number', { ...usage, outputTokens: NaN }],
    ['negative', { ...usage, outputTokens: -5 }],
    ['without end', { ...usage, inputTokens: Infinity }],
    ['a fraction', { ...usage, inputTokens: 1.5 }],
    ['absent', { inputTokens: 3, outputTokens: 3 }],
    ['more from the cache than there is', { ...usage, cachedInputTokens: 101 }],
  ])('is estimated where the provider states what cannot be true: %s', async (_, stated) => {
    expect(await attempt(newId(), 1, reply(stated))).toMatchObject({
      usage: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 2, estimated: true },
    });
  });
});

describe('a failure that passes', () => {
  test('is retried as long as the agent has time, and keeps the wait that the provider asks for', async () => {
    expect(await attempt(newId(), 500, refusing)).toMatchObject({ nonRetryable: false, nextRetryDelay: 5 });
  });

  test.each([
    ['a reply that is no good', 'BadReply', 4],
    ['a stream that stalls', 'StreamStalled', 4],
    ['a connection that breaks', 'ConnectionFailed', 8],
  ])('is final when so many tries were paid for: %s', async (_, type, most) => {
    const id = newId();
    for (let number = 1; number < most; number++) {
      expect(await attempt(id, number, breaking(type))).toMatchObject({ nonRetryable: false });
    }
    expect(await attempt(id, most, breaking(type))).toMatchObject({
      nonRetryable: true,
      type,
      message: `It broke (given up after ${most} tries that were paid for)`,
    });
  });

  test('does not count the tries of workers that died', async () => {
    const id = newId();
    for (let number = 2; number < 9; number++) {
      const info = { heartbeatDetails: { partial: '', characters: 9, attempt: number - 1 } };
      expect(await attempt(id, number, refusing, { info })).toMatchObject({ nonRetryable: false });
    }
    expect(await attempt(id, 9, breaking('BadReply'))).toMatchObject({ nonRetryable: false });
  });

  test('is final at the eighth reply that cannot be read, even if none has brought content', async () => {
    const unreadable = (): never => {
      throw ApplicationFailure.create({ type: 'BadReply', message: 'No JSON' });
    };
    const id = newId();
    for (let number = 1; number < 8; number++) {
      expect(await attempt(id, number, unreadable)).toMatchObject({ nonRetryable: false });
    }
    expect(await attempt(id, 8, unreadable)).toMatchObject({ nonRetryable: true });
  });

  test('is final when max_retries of the backend are used up', async () => {
    const given = { ...input, backend: { ...input.backend, max_retries: 2 } };
    const id = newId();
    expect(await attempt(id, 2, refusing, { given })).toMatchObject({ nonRetryable: false });
    expect(await attempt(id, 3, refusing, { given })).toMatchObject({
      nonRetryable: true,
      message: 'Busy (given up after 3 tries: max_retries is 2)',
    });
  });
});

test('a model is told which try it is', async () => {
  const seen: ModelRequest[] = [];
  await attempt(newId(), 3, async (request) => {
    seen.push(request);
    return reply()(request);
  });
  expect(seen).toMatchObject([{ attempt: 3 }]);
});

test('what a person should know survives the death of the worker after the commit', async () => {
  const id = newId();
  const told: Model['complete'] = async (request) => ({ ...(await reply()(request)), notices: ['No temperature'] });
  expect(await attempt(id, 1, told)).toMatchObject({ notices: ['No temperature'] });
  expect(await attempt(id, 2, refusing)).toMatchObject({ notices: ['No temperature'] });
});

describe('a conversation that is longer than the context', () => {
  const tooLong = ApplicationFailure.create({ type: 'ContextTooLong', nonRetryable: true, message: 'Too long' });

  /** A model whose context has room for so many characters. */
  const roomFor = (characters: number, seen: ModelRequest[]): Model['complete'] => {
    return async (request) => {
      seen.push(request);
      if (JSON.stringify(request.messages).length > characters) throw tooLong;
      return reply()(request);
    };
  };

  const rounds = (number: number, length: number): CallModelInput['append'] => [
    { role: 'user', content: 'The task.' },
    ...Array.from({ length: number }, (_, index): CallModelInput['append'] => [
      { role: 'assistant', content: '', toolCalls: [{ id: `c${index}`, name: 'read', arguments: '{}' }] },
      { role: 'tool', callId: `c${index}`, content: 'y'.repeat(length) },
    ]).flat(),
  ];

  test('is shortened before it is sent, says so, and is stored whole', async () => {
    const seen: ModelRequest[] = [];
    const append = rounds(50, 20_000);
    const result = (await attempt(newId(), 1, roomFor(Infinity, seen), {
      given: { ...input, append },
    })) as CallModelResult;
    expect(JSON.stringify(seen[0]?.messages).length).toBeLessThan(400_000);
    expect(result.notices).toEqual([
      'The conversation was shortened to fit the context of m: older messages were cut or left out',
    ]);
    expect(await bench.store.messages(result.transcript.id)).toEqual([
      ...append,
      { role: 'assistant', content: 'Good.' },
    ]);
  });

  test('is shortened when the provider refuses it, until it fits', async () => {
    const seen: ModelRequest[] = [];
    const given = { ...input, append: rounds(20, 4000) };
    const result = await attempt(newId(), 1, roomFor(20_000, seen), { given });
    expect(result).toMatchObject({ reply: { content: 'Good.' }, notices: [expect.stringMatching(/shortened/)] });
    expect(seen.length).toBeGreaterThan(1);
    const own = seen.filter(({ messages: [first] }) => first?.role === 'user');
    expect(own.length).toBeLessThan(seen.length);
    const sizes = own.map(({ messages }) => JSON.stringify(messages).length);
    expect(sizes).toEqual([...sizes].sort((one, other) => other - one));
  });

  test('fails for good when nothing more can be left out', async () => {
    const given = { ...input, append: [{ role: 'user' as const, content: 'z'.repeat(9000) }] };
    expect(await attempt(newId(), 1, roomFor(5000, []), { given })).toMatchObject({
      type: 'ContextTooLong',
      nonRetryable: true,
      message: 'Too long (nothing more of the conversation can be left out)',
    });
  });
});
