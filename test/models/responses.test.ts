import { describe, expect, test } from 'vitest';
import type { Message, ToolSpec } from '../../src/protocol/message.ts';
import { toOpenaiMessages } from '../../src/models/openai.ts';
import { toResponsesInput } from '../../src/models/responses.ts';
import { modelOpener } from '../../src/models/open-model.ts';
import { startModelServer, type Scripted } from '../support/model-server.ts';
import { RawServer, refuse, stream, type RawBody } from '../support/raw-server.ts';

const user = (content: string): Message => ({ role: 'user', content });
const tool: ToolSpec = {
  name: 'vote',
  description: 'Vote.',
  parameters: { type: 'object', properties: { agent_id: { type: 'string' } }, required: ['agent_id'] },
};
const vote: Scripted = { calls: [{ name: 'vote', arguments: { agent_id: 'agent1' } }] };

/** Plays a conversation: each reply with its results is followed by the next question. */
async function converse(model: string, replies: Scripted[], rest: object = {}) {
  let next = 0;
  const server = await startModelServer(() => replies[next++]!);
  const open = modelOpener({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: server.openai });
  let messages: Message[] = [{ role: 'system', content: 'Be brief.' }, user('Hi')];
  for (const _ of replies) {
    const { message } = await open({ type: 'openai', model }).complete({
      messages,
      tools: [tool],
      signal: new AbortController().signal,
      onDelta: () => {},
      ...rest,
    });
    const results = (message.toolCalls ?? []).map(({ id }): Message => ({ role: 'tool', callId: id, content: 'ok' }));
    messages = [...messages, message, ...results, user('On.')];
  }
  await server.close();
  return { requests: server.requests, messages };
}

describe.each(['gpt-5', 'gpt-5.4', 'gpt-5.6', 'gpt-6-astra', 'gpt-4o', 'o3'])('%s', (model) => {
  test('takes a conversation with calls, and gets its reasoning back before what followed it', async () => {
    const { requests } = await converse(model, [vote, { text: 'I voted.', ...vote }, { text: 'Done.' }, vote, vote]);
    expect(requests.map(({ wire }) => wire)).toEqual(Array(5).fill('responses'));
    const types = (requests.at(-1)!.body['input'] as RawBody[]).map(({ type = 'message' }) => type);
    const thought = model === 'gpt-4o' ? [] : ['reasoning'];
    const turn = [...thought, 'function_call', 'function_call_output', 'message'];
    const second = [...thought, 'message', ...turn.slice(thought.length)];
    expect(types).toEqual(['message', 'message', ...turn, ...second, ...thought, 'message', 'message', ...turn]);
  });

  test('an earlier input stays the same, byte for byte, and so do the tools, whatever may be called', async () => {
    const replies = [vote, { text: 'Done.' }, { text: 'Well.' }];
    const { requests } = await converse(model, replies);
    const { requests: withheld } = await converse(model, [{ text: 'No.' }], { toolChoice: 'none' });
    const inputs = requests.map(({ body }) => JSON.stringify(body['input']).slice(0, -1));
    inputs.slice(1).forEach((input, index) => expect(input.startsWith(inputs[index]!)).toBe(true));
    expect(new Set([...requests, ...withheld].map(({ body }) => JSON.stringify(body['tools']))).size).toBe(1);
    expect(withheld[0]?.toolChoice).toBe('none');
  });
});

test('nothing is stored, and reasoning is asked for in encrypted form', async () => {
  const { requests } = await converse('gpt-5.6', [{ text: 'Hi.' }]);
  expect(requests[0]?.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'], stream: true });
  expect(requests[0]?.raw).not.toContain('effort');
});

test('reasoning goes to no other model and over no other wire', async () => {
  const { messages } = await converse('gpt-5.6', [vote]);
  expect(JSON.stringify(toResponsesInput(messages, 'gpt-5.6'))).toContain('encrypted');
  expect(JSON.stringify([toResponsesInput(messages, 'gpt-6-astra'), toOpenaiMessages(messages)])).not.toContain(
    'encrypted',
  );
});

test('a tool choice that demands a call names the tool if there is one alone', async () => {
  const { requests } = await converse('gpt-5', [vote], { toolChoice: { oneOf: ['vote'] } });
  expect(requests[0]?.body['tool_choice']).toEqual({ type: 'function', name: 'vote' });
  const { requests: required } = await converse('gpt-5', [vote], { toolChoice: 'required' });
  expect(required[0]?.body['tool_choice']).toBe('required');
});

const item = (rest: object): object => ({ type: 'response.output_item.done', output_index: 0, item: rest });
const said = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const end = (rest: object = {}): object => ({
  type: 'response.completed',
  response: { status: 'completed', output: [], usage: { input_tokens: 3, output_tokens: 2 }, ...rest },
});
const failed = (error: object): object => ({ type: 'response.failed', response: { status: 'failed', error } });

async function read(events: object[]) {
  await using server = await RawServer.start((response) => {
    stream(response, events);
    response.end();
  });
  return await server.opener()({ type: 'openai', model: 'm' }).ask();
}

const piece = (delta?: string): object => ({ type: 'response.output_text.delta', delta });

describe('replies of compatible servers', () => {
  test.each<[string, object[]]>([
    ['items in the stream alone', [item(said('Yes.')), end()]],
    ['items at the end alone', [end({ output: [said('Yes.')] })]],
    ['text alone', [{ type: 'response.output_text.delta', delta: 'Yes.' }, end()]],
    ['a piece without text', ['Yes', undefined, '.'].map(piece).concat(end())],
    ['items of unknown types', [item({ type: 'web_search_call', id: 'w' }), item(said('Yes.')), end()]],
  ])('%s', async (_, events) => {
    const { message, usage } = await read(events);
    expect(message).toEqual({ role: 'assistant', content: 'Yes.' });
    expect(usage).toEqual({ inputTokens: 3, cachedInputTokens: 0, outputTokens: 2 });
  });

  test.each<[string, object[], string, boolean]>([
    ['no end', [item(said('Half of'))], 'ConnectionFailed', false],
    ['a server error', [failed({ code: 'server_error', message: 'oops' })], 'ServerError', false],
    ['a rate limit', [failed({ code: 'rate_limit_exceeded', message: 'slow' })], 'RateLimited', false],
    ['an image that is none', [failed({ code: 'invalid_image', message: 'no' })], 'BadRequest', true],
    ['a policy', [failed({ code: 'bio_policy', message: 'no' })], 'ContentRefused', true],
    ['an error event', [{ type: 'error', code: 'server_error', message: 'x' }, end()], 'ServerError', false],
    [
      'a refusal',
      [item({ type: 'message', content: [{ type: 'refusal', refusal: 'I cannot.' }] }), end()],
      'ContentRefused',
      true,
    ],
  ])('%s fails', async (_, events, type, nonRetryable) => {
    await expect(read(events)).rejects.toMatchObject({ type, nonRetryable });
  });

  test('that it is incomplete counts, also where no reason is told', async () => {
    const end = { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: null } };
    const half = item({ type: 'message', content: [{ type: 'output_text', text: 'Half of' }] });
    expect(await read([half, end])).toMatchObject({ finish: 'length', message: { content: 'Half of' } });
  });

  test('reasoning that led to nothing is not sent back', async () => {
    const thought = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'e' };
    const reason = {
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    };
    const { message, finish } = await read([item(thought), reason]);
    expect(finish).toBe('length');
    expect(toResponsesInput([user('Hi'), message], 'm')).toEqual([{ role: 'user', content: 'Hi' }]);
  });

  test('the phase of a message goes back with it', async () => {
    const { message } = await read([item({ ...said('First, '), phase: 'commentary' }), item(said('yes.')), end()]);
    expect(message.content).toBe('First, yes.');
    expect(toResponsesInput([message], 'm')).toEqual([
      { type: 'message', role: 'assistant', content: 'First, ', phase: 'commentary' },
      { type: 'message', role: 'assistant', content: 'yes.' },
    ]);
  });

  test('a call that was written as text stands behind what the model has sent', () => {
    const parts = [{ type: 'message', content: 'So.', phase: 'commentary' }];
    const message: Message = {
      role: 'assistant',
      content: 'So.',
      toolCalls: [{ id: 'written_2', name: 'vote', arguments: '{}' }],
      opaque: { wire: 'responses', data: { model: 'm', parts } },
    };
    expect(toResponsesInput([message], 'm')).toEqual([
      { ...parts[0], role: 'assistant' },
      { type: 'function_call', call_id: 'written_2', name: 'vote', arguments: '{}' },
    ]);
  });

  test('reasoning that cannot be decrypted any more is left out, and the person is told', async () => {
    await using server = await RawServer.start((response, body) => {
      if (JSON.stringify(body).includes('"encrypted_content":')) {
        refuse(response, { message: 'could not be verified', code: 'invalid_encrypted_content' });
        return;
      }
      stream(response, [item(said('Yes.')), end()]);
      response.end();
    });
    const parts = [
      { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'e' },
      { type: 'message', content: 'Old.' },
    ];
    const old: Message = {
      role: 'assistant',
      content: 'Old.',
      opaque: { wire: 'responses', data: { model: 'm', parts } },
    };
    const { notices } = await server
      .opener()({ type: 'openai', model: 'm' })
      .ask({ messages: [user('Hi'), old, user('So?')] });
    expect(notices).toEqual(['openai m cannot read the reasoning in earlier replies any more: left out']);
    expect(server.bodies).toHaveLength(2);
  });
});

describe('a server without /responses', () => {
  const chat = [{ choices: [{ delta: { content: 'Yes.' }, finish_reason: 'stop' }] }];
  const without = (missing: (body: RawBody) => object | string) =>
    RawServer.start((response, body, { url }) => {
      if (url?.endsWith('/responses')) {
        const why = missing(body);
        response.writeHead(404).end(typeof why === 'string' ? why : JSON.stringify(why));
        return;
      }
      stream(response, chat);
      response.end();
    });

  test.each<[string, object | string]>([
    ['JSON', { error: { message: '/v1/responses', code: 404 } }],
    ['a text', '404 page not found'],
    ['nothing', ''],
    ['the words of FastAPI', { detail: 'Not Found' }],
  ])('whose 404 is %s is spoken to in Chat Completions, which is found out once', async (_, body) => {
    await using server = await without(() => body);
    const { ask } = server.opener()({ type: 'openai', model: 'm' });
    expect((await ask()).message.content).toBe('Yes.');
    expect((await ask()).message.content).toBe('Yes.');
    const [one, other] = ['/v1/responses', '/v1/chat/completions'];
    expect(server.paths).toEqual([one, other, other]);
  });

  test.each([
    { error: { message: 'The model `m` does not exist', code: 'model_not_found' } },
    { error: { message: 'model "m" not found, try pulling it first' } },
    { object: 'error', message: 'The model `m` does not exist.', code: 404 },
  ])('is none whose 404 says that the model is unknown: %o', async (body) => {
    await using server = await without(() => body);
    const { ask } = server.opener()({ type: 'openai', model: 'm' });
    await expect(ask()).rejects.toMatchObject({ type: 'NotFound', nonRetryable: true });
    expect(server.paths).toEqual(['/v1/responses']);
  });

  test('is never asked for it by gemini and chatcompletion', async () => {
    await using server = await without(() => '');
    const open = server.opener();
    await open({ type: 'gemini', model: 'm' }).ask();
    await open({ type: 'chatcompletion', model: 'm' }).ask();
    expect(new Set(server.paths)).toEqual(new Set(['/v1/chat/completions']));
  });
});
