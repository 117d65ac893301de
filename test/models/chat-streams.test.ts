import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AssistantMessage, Message } from '../../src/protocol/message.ts';
import { StreamedCalls, type CallPiece } from '../../src/models/streamed-calls.ts';
import { delta, RawServer, stream, type RawBody } from '../support/raw-server.ts';

const piece = (rest: object, name?: string, text?: string): object => ({
  ...rest,
  function: { ...(name !== undefined && { name }), ...(text !== undefined && { arguments: text }) },
});

async function read(events: unknown[], end: 'end' | 'destroy' = 'end', messages?: Message[]) {
  await using server = await RawServer.start((response) => {
    stream(response, events);
    if (end === 'end') response.end();
    else setTimeout(() => response.destroy(), 20);
  });
  const model = server.opener()({ type: 'chatcompletion', model: 'm' });
  return await model.ask(messages && { messages });
}

const calling = (...pieces: object[]): unknown[] => [
  ...pieces.map((each) => delta({ tool_calls: [each] })),
  delta({}, 'tool_calls'),
  '[DONE]',
];

const called = ({ message }: { message: AssistantMessage }): string[] =>
  (message.toolCalls ?? []).map(({ name, arguments: text }) => `${name} ${text}`);

test.each([
  ['Paris.<|im_end|>\n<|im_start|>user\nAnd of Spain?', 'Paris.'],
  ['Paris.<end_of_turn>\n<start_of_turn>user\nAnd of Spain?', 'Paris.'],
  ['Paris.<|im_end|>', 'Paris.'],
  ['ChatML is `<|im_end|>\n<|im_start|>user`.', 'ChatML is `<|im_end|>\n<|im_start|>user`.'],
  ['It ends with <|im_end|>, of course.', 'It ends with <|im_end|>, of course.'],
])('a text that goes on as the next turn ends before it, and one about turns does not: %j', async (text, expected) => {
  const pieces = text.match(/[^]{1,5}/g) ?? [];
  const { finish, message } = await read([...pieces.map((content) => delta({ content })), delta({}, 'stop'), '[DONE]']);
  expect({ content: message.content, finish }).toEqual({ content: expected, finish: 'stop' });
});

test('a text that comes whole ends before the next turn as well, however long that is', async () => {
  const content = `Paris.<|im_end|>\n<|im_start|>user\n${'And of Spain? '.repeat(20)}`;
  const { message } = await read([delta({ content }, 'stop'), '[DONE]']);
  expect(message.content).toBe('Paris.');
});

test('a text that comes in parts, as Mistral sends it, is the text of the parts', async () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
  const parts = ['Par', 'is.'].map((text) => ({ type: 'text', text }));
  const { message } = await read([delta({ content: [thinking] }), delta({ content: parts }, 'stop'), '[DONE]']);
  expect(message.content).toBe('Paris.');
});

describe('tool calls are told apart by index and id', () => {
  const [a, b] = ['{"n":1}', '{"n":2}'];
  const vote = (index: number, id: string, text?: string) => piece({ index, id }, 'vote', text);
  const more = (index: number, text: string) => piece({ index }, undefined, text);
  test.each<[string, object[], string[]]>([
    ['an index that begins at 1', [vote(1, 'x', a)], [a]],
    ['an index of 4294967290', [vote(4294967290, 'x', a)], [a]],
    ['a negative index', [vote(-1, 'x', a)], [a]],
    ['an index that repeats with another id', [vote(0, 'x', a), vote(0, 'y', b)], [a, b]],
    [
      'an index that repeats with another id, in pieces',
      [vote(0, 'x', '{"n"'), more(0, ':1}'), vote(0, 'y', ''), more(0, b)],
      [a, b],
    ],
    ['no index, with ids', [piece({ id: 'x' }, 'vote', a), piece({ id: 'y' }, 'vote', b)], [a, b]],
    ['neither index nor id', [piece({}, 'vote', a), piece({}, 'vote', b)], [a, b]],
    [
      'pieces of two calls in turn',
      [vote(0, 'x', '{"n"'), vote(1, 'y', '{"n"'), more(0, ':1}'), more(1, ':2}')],
      [a, b],
    ],
    ['the same id for two indexes', [vote(0, 'x', a), vote(1, 'x', b)], [a, b]],
    ['the name with every piece', [vote(0, 'x', '{"n"'), vote(0, 'x', ':1'), vote(0, 'x', '}')], [a]],
    ['the name in pieces', [piece({ index: 0, id: 'x' }, 'vo'), piece({ index: 0 }, 'te'), more(0, a)], [a]],
    ['the whole call once more at the end', [vote(0, 'x', a), vote(0, 'x', a)], [a]],
    ['arguments that are an object', [{ index: 0, id: 'x', function: { name: 'vote', arguments: { n: 1 } } }], [a]],
  ])('%s', async (_, pieces, expected) => {
    const response = await read(calling(...pieces));
    expect(called(response)).toEqual(expected.map((text) => `vote ${text}`));
    expect(new Set(response.message.toolCalls?.map(({ id }) => id)).size).toBe(expected.length);
    expect(response.finish).toBe('tool_calls');
  });

  test('several calls in one piece', async () => {
    const both = [piece({ index: 0, id: 'x' }, 'vote', a), piece({ index: 1, id: 'y' }, 'vote', b)];
    expect(called(await read([delta({ tool_calls: both }), delta({}, 'tool_calls'), '[DONE]']))).toHaveLength(2);
  });

  test('a function_call of old servers is a call', async () => {
    const events = [delta({ function_call: { name: 'vote', arguments: a } }), delta({}, 'function_call'), '[DONE]'];
    expect(called(await read(events))).toEqual([`vote ${a}`]);
  });

  test('an id that an earlier reply has had is made another', async () => {
    const earlier: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'x', name: 'vote', arguments: a }] },
      { role: 'tool', callId: 'x', content: 'Recorded.' },
    ];
    const { message } = await read(calling(piece({ index: 0, id: 'x' }, 'vote', b)), 'end', earlier);
    expect(message.toolCalls?.[0]?.id).not.toBe('x');
  });

  test('more calls than any model makes are a reply that is too large', async () => {
    const many = Array.from({ length: 600 }, (_, index) => piece({ index, id: `c${index}` }, 'vote', a));
    await expect(read([delta({ tool_calls: many })])).rejects.toMatchObject({
      type: 'ReplyTooLarge',
      nonRetryable: true,
    });
  });

  /** However a server cuts and numbers its calls, none is merged with another and none is lost. */
  test('property: calls come out as they went in', () => {
    const numbering = fc.constantFrom<(index: number) => unknown>(
      (index) => index,
      (index) => index + 1,
      (index) => -index,
      (index) => 4294967290 - index,
      () => 0,
      () => undefined,
    );
    const made = fc.array(fc.record({ name: fc.constantFrom('vote', 'ask'), input: fc.jsonValue(), cuts: fc.nat(5) }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(made, numbering, fc.boolean(), (calls, numberOf, repeatsName) => {
        const streamed = new StreamedCalls();
        const texts = calls.map(({ input }) => JSON.stringify({ input }));
        calls.forEach(({ name, cuts }, index) => {
          const text = texts[index]!;
          const size = Math.ceil(text.length / (cuts + 1));
          for (let at = 0; at < text.length; at += size) {
            const first = at === 0;
            const part: CallPiece = {
              index: numberOf(index),
              ...((first || repeatsName) && { id: `id${index}` }),
              function: { ...((first || repeatsName) && { name }), arguments: text.slice(at, at + size) },
            };
            streamed.add(part);
          }
        });
        const { calls: read } = streamed.finish([]);
        expect(read.map((call) => [call.name, call.arguments])).toEqual(calls.map(({ name }, n) => [name, texts[n]]));
      }),
    );
  });
});

describe('how a reply ends', () => {
  test.each<[string, unknown[], string]>([
    ['without a finish_reason, with [DONE]', [delta({ content: 'Yes.' }), '[DONE]'], 'stop'],
    [
      'without a finish_reason or [DONE], with its usage',
      [delta({ content: 'Yes.' }), { choices: [], usage: {} }],
      'stop',
    ],
    ['length', [delta({ content: 'Yes.' }, 'length')], 'length'],
    ['MAX_TOKENS', [delta({ content: 'Yes.' }, 'MAX_TOKENS')], 'length'],
    ['its context', [delta({ content: 'Yes.' }, 'model_context_window_exceeded')], 'length'],
    ['for calls that have not come', [delta({ content: 'Yes.' }, 'tool_calls')], 'tool_calls'],
    ['a word that nobody knows', [delta({ content: 'Yes.' }, 'eos_token')], 'stop'],
  ])('%s', async (_, events, finish) => {
    expect(await read(events)).toMatchObject({ finish, message: { content: 'Yes.' } });
  });

  const half = piece({ id: 'x' }, 'vote', '{"n"');
  const slowDown = { error: { message: 'slow down', code: 429 } };
  test.each<[what: string, events: unknown[], type: string, nonRetryable: boolean, end?: 'end' | 'destroy']>([
    ['a connection that breaks', [delta({ content: 'Half of' })], 'ConnectionFailed', false, 'destroy'],
    ['nothing at all', ['[DONE]'], 'ConnectionFailed', false],
    ['a call that stops in the middle', [delta({ tool_calls: [half] })], 'ConnectionFailed', false],
    ['content_filter', [delta({ content: 'No' }, 'content_filter')], 'ContentRefused', true],
    ['a refusal alone', [delta({ refusal: 'I cannot.' }), delta({}, 'stop')], 'ContentRefused', true],
    ['error', [delta({ content: 'Half of' }, 'error')], 'ServerError', false],
    ['a lack of resources', [delta({ content: 'Half of' }, 'insufficient_system_resource')], 'ServerError', false],
    ['a broken call', [delta({}, 'function_call_filter: MALFORMED_FUNCTION_CALL')], 'ServerError', false],
    ['network_error', [delta({ content: 'Half of' }, 'network_error')], 'ServerError', false],
    ['sensitive', [delta({ content: 'Half of' }, 'sensitive')], 'ContentRefused', true],
    ['a text without any sign of its end', [delta({ content: 'Half of' })], 'ConnectionFailed', false],
    ['an event that is no JSON', ['{"choices":'], 'BadReply', false],
    ['an error in the middle', [delta({ content: 'x' }), slowDown], 'RateLimited', false],
  ])('%s fails', async (_, events, type, nonRetryable, end = 'end') => {
    await expect(read(events, end)).rejects.toMatchObject({ type, nonRetryable });
  });

  test('a refusal beside a text stays in the text', async () => {
    const { message } = await read([
      delta({ content: 'Partly. ' }),
      delta({ refusal: 'Not the rest.' }),
      delta({}, 'stop'),
    ]);
    expect(message.content).toBe('Partly. Not the rest.');
  });
});

describe('what is said of usage is checked', () => {
  test.each<[string, unknown]>([
    ['"0NaN"', { prompt_tokens: '0NaN', completion_tokens: 5 }],
    ['a negative count', { prompt_tokens: 10, completion_tokens: -5 }],
    ['a fraction', { prompt_tokens: 10.5, completion_tokens: 5 }],
    [
      'more cached than there was',
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 11 } },
    ],
    ['nothing', undefined],
  ])('%s is estimated', async (_, usage) => {
    const { usage: counted } = await read([delta({ content: 'Yes, yes, yes.' }, 'stop'), { choices: [], usage }]);
    expect(counted).toEqual({ inputTokens: 1, cachedInputTokens: 0, outputTokens: 4, estimated: true });
  });

  test('true counts are taken', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 10 } };
    const { usage: counted } = await read([delta({ content: 'Yes.' }, 'stop'), { choices: [], usage }]);
    expect(counted).toEqual({ inputTokens: 10, cachedInputTokens: 10, outputTokens: 5 });
  });

  test.each([
    ['beside what was written, as Gemini and xAI count', { completion_tokens: 5, total_tokens: 55 }, 45],
    ['within it, as OpenAI counts', { completion_tokens: 45, total_tokens: 55 }, 45],
    ['and the sum is nonsense', { completion_tokens: 5, total_tokens: 'many' }, 5],
  ])('thoughts are tokens that were written: %s', async (_, counts, outputTokens) => {
    const usage = { prompt_tokens: 10, ...counts };
    const { usage: counted } = await read([delta({ content: 'Yes.' }, 'stop'), { choices: [], usage }]);
    expect(counted).toEqual({ inputTokens: 10, cachedInputTokens: 0, outputTokens });
  });
});

test('what a model thinks counts while it comes, and is not shown', async () => {
  const told: Array<[string, number | undefined]> = [];
  await using server = await RawServer.start((response) => {
    stream(response, [
      delta({ reasoning: 'Hm, hm.' }),
      delta({ content: '<think>A' }),
      delta({ content: 'h.</think>' }),
      delta({ content: 'Yes.' }, 'stop'),
      '[DONE]',
    ]);
    response.end();
  });
  await server
    .opener()({ type: 'chatcompletion', model: 'm' })
    .ask({ onDelta: (text, thought) => told.push([text, thought]) });
  expect(told.map(([text]) => text).join('')).toBe('Yes.');
  expect(told.reduce((sum, [, thought = 0]) => sum + thought, 0)).toBe('Hm, hm.<think>Ah.</think>'.length);
});

test('usage beside a piece of the text is no end, as Gemini and xAI send it with each', async () => {
  const piece = { ...delta({ content: 'Half of' }), usage: { prompt_tokens: 9, completion_tokens: 2 } };
  await expect(read([piece])).rejects.toMatchObject({ type: 'ConnectionFailed' });
});

describe('the next request', () => {
  async function next(events: unknown[]): Promise<RawBody> {
    await using server = await RawServer.start((response) => {
      stream(response, events);
      response.end();
    });
    const { ask } = server.opener()({ type: 'chatcompletion', model: 'm' });
    const { message } = await ask();
    const results = (message.toolCalls ?? []).map(({ id }): Message => ({ role: 'tool', callId: id, content: 'ok' }));
    await ask({ messages: [{ role: 'user', content: 'Hi' }, message, ...results, { role: 'user', content: 'On.' }] });
    return (server.bodies[1]!['messages'] as RawBody[])[1]!;
  }

  test.each(['reasoning_content', 'reasoning'])('has the reasoning where it came: %s', async (field) => {
    const events = [delta({ [field]: 'Hm, ' }), delta({ [field]: 'hm.' }), delta({ content: 'Yes.' }, 'stop')];
    expect(await next(events)).toEqual({ role: 'assistant', content: 'Yes.', [field]: 'Hm, hm.' });
  });

  test('has the details of a thought put together, and not its text besides: signatures hold for the whole', async () => {
    const claude = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
    const sealed = (id: string) => ({ type: 'reasoning.encrypted', data: `sealed ${id}`, id, index: 1 });
    const events = [
      delta({ reasoning: 'Let', reasoning_details: [{ ...claude, text: 'Let' }] }),
      delta({ reasoning: ' me see.', reasoning_details: [{ ...claude, text: ' me see.', signature: null }] }),
      delta({ reasoning_details: [{ ...claude, signature: 's' }] }),
      delta({ reasoning_details: [sealed('call_1'), sealed('call_2'), 'nonsense'] }),
      delta({ content: 'Yes.' }, 'stop'),
    ];
    expect(await next(events)).toEqual({
      role: 'assistant',
      content: 'Yes.',
      reasoning_details: [{ ...claude, text: 'Let me see.', signature: 's' }, sealed('call_1'), sealed('call_2')],
    });
  });

  test('says something where a reply has said nothing, since Kimi refuses an empty message', async () => {
    expect(await next([delta({ content: ' ' }, 'length')])).toEqual({ role: 'assistant', content: '(no reply)' });
  });

  test('has arguments that are no JSON as JSON, since gateways read them again', async () => {
    const message = await next(calling(piece({ index: 0, id: 'x' }, 'vote', 'agent1!')));
    const [call] = message['tool_calls'] as Array<{ function: { arguments: string } }>;
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ unreadable_arguments: 'agent1!' });
  });

  test('has the extra content of a call where it came', async () => {
    const extra_content = { google: { thought_signature: 's' } };
    const message = await next(calling({ ...piece({ index: 0, id: 'x' }, 'vote', '{}'), extra_content }));
    expect(message['tool_calls']).toEqual([
      { id: 'x', type: 'function', function: { name: 'vote', arguments: '{}' }, extra_content },
    ]);
  });
});

test('a reply that goes round in circles is ended while it comes, counts as cut off, and its server is let go', async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await RawServer.start(async (response) => {
    response.once('close', closed.resolve);
    while (!response.destroyed) {
      stream(
        response,
        Array.from({ length: 50 }, () => delta({ content: 'Red. ' })),
      );
      await pause(1);
    }
  });
  const { finish, message, usage } = await server.opener()({ type: 'chatcompletion', model: 'm' }).ask();
  expect(finish).toBe('length');
  expect(message.content).toMatch(/^(Red\. )+$/);
  expect(usage.estimated).toBe(true);
  await closed.promise;
});
