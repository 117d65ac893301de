import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../src/models/model.ts';
import type { ToolSpec } from '../../src/protocol/message.ts';
import { delta, RawServer, refuse, stream, type RawBody } from '../support/raw-server.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const tool: ToolSpec = {
  name: 'vote',
  description: 'Vote.',
  parameters: { type: 'object', properties: { agent_id: { type: 'string' } }, required: ['agent_id'] },
};

function answer(response: ServerResponse, url = ''): void {
  const end = { type: 'response.completed', response: { status: 'completed', output: [] } };
  const text = { type: 'response.output_text.delta', delta: 'Yes.' };
  stream(response, url.endsWith('/responses') ? [text, end] : [delta({ content: 'Yes.' }, 'stop'), '[DONE]']);
  response.end();
}

/** A server that refuses whatever a test does not like, and answers the rest. */
const refusing = (problemOf: (body: RawBody) => object | undefined, status = 400) =>
  RawServer.start((response, body, { url }) => {
    const problem = problemOf(body);
    if (problem === undefined) answer(response, url);
    else refuse(response, problem, status);
  });

const whole: Partial<ModelRequest> = { tools: [tool], toolChoice: 'required' };

type Case = [what: string, key: string, backend: Partial<Backend>, problem: object, notice?: string];

const [chat, openai] = [{ type: 'chatcompletion' }, { type: 'openai' }] as const;
const deprecated = '`temperature` is deprecated for this model.';
const unrecognized = 'Unrecognized request argument supplied: reasoning_effort';

test.each<Case>([
  [
    'temperature, by its name',
    'temperature',
    { temperature: 0.5 },
    { param: 'temperature', code: 'unsupported_value' },
  ],
  ['temperature, in words alone', 'temperature', { temperature: 0.5 }, { message: deprecated }],
  ['temperature, as LiteLLM says it', 'temperature', { temperature: 0.5 }, { message: deprecated, param: 'None' }],
  ['reasoning_effort', 'reasoning_effort', { reasoning_effort: 'low' }, { message: unrecognized }],
  ['reasoning.effort', 'reasoning.effort', { ...openai, reasoning_effort: 'low' }, { param: 'reasoning.effort' }],
  [
    'max_tokens under its other name',
    'max_tokens',
    { max_tokens: 9 },
    { message: "'max_tokens' is not supported. Use 'max_completion_tokens' instead.", param: 'max_tokens' },
    'max_tokens: sent as max_completion_tokens',
  ],
  ['stream_options', 'stream_options', {}, { message: 'Extra inputs are not permitted: stream_options' }],
  ['include', 'include', openai, { message: 'Encrypted content is not supported with this model.' }],
  ['a key of extra_body', 'top_k', { extra_body: { top_k: 4 } }, { message: 'unknown field top_k' }],
  // Only models that are known to take a forced choice are sent one.
  [
    'a forced tool choice',
    'forced',
    { model: 'gpt-4o' },
    { message: 'tool_choice must be auto while thinking' },
    'a forced tool_choice: left out',
  ],
  ['any tool choice', 'tool_choice', {}, { message: 'unknown parameter', param: 'tool_choice' }],
])(
  'a 400 that names %s teaches to do without, at once and from then on, and the person is told once',
  async (_, key, rest, problem, notice = `${key}: left out`) => {
    const backend: Backend = { ...chat, ...rest };
    const isSent = (body: RawBody): boolean => {
      if (key === 'forced') return body['tool_choice'] !== 'auto';
      return key === 'reasoning.effort' ? Boolean((body['reasoning'] as RawBody | undefined)?.['effort']) : key in body;
    };
    await using server = await refusing((body) => (isSent(body) ? { message: 'no', ...problem } : undefined));
    const open = server.opener();
    const { message, notices } = await open({ model: 'm', ...backend }).ask(whole);
    expect(message.content).toBe('Yes.');
    expect(notices?.at(-1)).toBe(`${backend.type} ${backend.model ?? 'm'} does not take ${notice}`);
    const tries = server.bodies.length;
    expect((await open({ model: 'm', ...backend }).ask(whole)).notices).toBeUndefined();
    expect(server.bodies).toHaveLength(tries + 1);
    // Another model behind the same address may take it.
    await open({ ...backend, model: backend.model === undefined ? 'other' : 'gpt-4.1' }).ask(whole);
    expect(server.bodies.length).toBeGreaterThan(tries + 2);
  },
);

test('strict schemas are given up, and stay schemas', async () => {
  const isStrict = (body: RawBody): boolean => JSON.stringify(body['tools']).includes('"strict":true');
  await using server = await refusing((body) =>
    isStrict(body) ? { message: 'no', param: 'tools[0].function.strict' } : undefined,
  );
  const { notices } = await server.opener()({ type: 'chatcompletion', model: 'gpt-4o' }).ask(whole);
  expect(notices).toEqual(['chatcompletion gpt-4o does not take strict: left out']);
  expect(JSON.stringify(server.bodies[1])).toContain('agent_id');
});

test('where strict ones are refused for their schemas, they are sent as others first', async () => {
  await using server = await refusing((body) =>
    JSON.stringify(body['tools']).includes('"strict":true')
      ? { message: "Invalid schema for function 'vote'", param: 'tools[0].function.parameters' }
      : undefined,
  );
  const { notices } = await server.opener()({ type: 'chatcompletion', model: 'gpt-4o' }).ask(whole);
  expect(notices).toEqual(['chatcompletion gpt-4o does not take strict: left out']);
});

test.each<[provider: string, problem: object]>([
  ['OpenAI', { message: "Invalid schema for function 'vote': …", param: 'tools[0].function.parameters' }],
  ['Anthropic', { message: 'tools.0.custom.input_schema: JSON schema is invalid. It must match draft 2020-12' }],
  ['Google', { message: 'Unknown name "exclusiveMinimum" at \'tools[0].function_declarations[0].parameters\'' }],
  ['Moonshot', { message: 'tools.function.parameters is not a valid moonshot flavored json schema' }],
  ['llama.cpp', { message: 'Failed to parse grammar' }],
  [
    'OpenAI, for its description',
    { message: "Invalid 'tools[1].function.description': string too long. Expected 1024" },
  ],
])(
  'a schema of a tool that %s refuses is sent in a plainer form, from then on and with all tools',
  async (_, problem) => {
    const size = { type: 'integer', exclusiveMinimum: 0, enum: [1, 2] };
    const parameters = { type: 'object' as const, properties: { size }, required: ['size'] };
    await using server = await refusing((body) =>
      JSON.stringify(body['tools']).includes('exclusiveMinimum') ? problem : undefined,
    );
    const model = server.opener()({ type: 'chatcompletion', model: 'm' });
    const { notices } = await model.ask({
      tools: [tool, { ...tool, name: 'measure', description: 'x'.repeat(2000), parameters }],
    });
    expect(notices).toEqual([
      'chatcompletion m does not take the schemas of some tools: all are sent in a plainer form',
    ]);
    const [, again] = server.bodies as Array<{ tools: Array<{ function: ToolSpec }> }>;
    expect(again?.tools.map((each) => each.function.description.length)).toEqual([5, 1024]);
    expect(again?.tools.map((each) => each.function.parameters)).toEqual([
      tool.parameters,
      { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
    ]);
  },
);

test('a limit that is refused under both names is left out', async () => {
  await using server = await refusing(
    (body) =>
      ['max_tokens', 'max_completion_tokens'].flatMap((name) =>
        name in body ? [{ message: 'no', param: name }] : [],
      )[0],
  );
  await server.opener()({ type: 'chatcompletion', model: 'm', max_tokens: 9 }).ask();
  expect(server.bodies.at(-1)).not.toHaveProperty('max_completion_tokens');
});

test('several parameters are learnt in one call', async () => {
  await using server = await refusing(
    (body) =>
      ['temperature', 'stream_options', 'reasoning_effort'].flatMap((name) =>
        name in body ? [{ message: name }] : [],
      )[0],
  );
  const backend: Backend = { type: 'chatcompletion', model: 'm', temperature: 1, reasoning_effort: 'high' };
  expect((await server.opener()(backend).ask()).notices).toHaveLength(3);
});

test('tools that may not be called are defined where a server wants them', async () => {
  await using server = await refusing((body) =>
    'tools' in body ? undefined : { message: 'tools must be defined, since messages have tool calls' },
  );
  const { ask } = server.opener()({ type: 'chatcompletion', model: 'm' });
  const { notices } = await ask({ tools: [tool], toolChoice: 'none' });
  expect(notices).toBeUndefined();
  expect(server.bodies[1]).toMatchObject({ tool_choice: 'none' });
});

describe('nothing is learnt', () => {
  const always = (problem: object, status?: number) => refusing(() => problem, status);
  const backend: Backend = {
    type: 'chatcompletion',
    model: 'm',
    temperature: 1,
    reasoning_effort: 'low',
    max_tokens: 9,
  };

  test.each<[string, object, number]>([
    ['from an error of the server', { message: 'temperature' }, 500],
    ['where what matters is wrong', { message: 'bad messages', param: 'messages' }, 400],
    [
      'where reasoning would be switched off',
      {
        message:
          "Function tools with reasoning_effort are not supported for m in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
        param: 'reasoning_effort',
      },
      400,
    ],
    ['where the context is too long', { message: 'maximum context length is 9 tokens; reduce max_tokens' }, 400],
  ])('%s', async (_, problem, status) => {
    await using server = await always(problem, status);
    await expect(server.opener()(backend).ask()).rejects.toMatchObject({ type: expect.any(String) as string });
    expect(server.bodies).toHaveLength(1);
  });

  test('for ever: a server that refuses everything is asked six times at most', async () => {
    const extra_body = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x${index}`, 1]));
    await using server = await refusing((body) => ({
      message: `no ${Object.keys(body).find((key) => /^x\d/.test(key))}`,
    }));
    await expect(
      server
        .opener()({ ...backend, extra_body })
        .ask(),
    ).rejects.toMatchObject({ type: 'BadRequest' });
    expect(server.bodies).toHaveLength(6);
  });
});

describe('what the table knows is not sent in the first place', () => {
  test.each<[Backend, string]>([
    [{ type: 'openai', model: 'gpt-5.6', temperature: 0.5 }, 'openai gpt-5.6 does not take temperature: left out'],
    [
      { type: 'openai', model: 'gpt-6-astra', reasoning_effort: 'none' },
      'openai gpt-6-astra does not take reasoning_effort none: left out',
    ],
  ])('%o', async (backend, notice) => {
    await using server = await refusing(() => undefined);
    const open = server.opener();
    expect((await open(backend).ask()).notices).toEqual([notice]);
    expect((await open(backend).ask()).notices).toBeUndefined();
    expect(server.bodies[0]).not.toHaveProperty('temperature');
    expect(server.bodies[0]).not.toHaveProperty('reasoning.effort');
  });

  test('of a summary of its thoughts nobody is told, who has asked for none', async () => {
    const problem = { message: 'Your organization must be verified', param: 'reasoning.summary' };
    await using server = await refusing((body) => ('reasoning' in body ? problem : undefined));
    const { ask } = server.opener()({ type: 'openai', model: 'gpt-5' });
    expect((await ask()).notices).toBeUndefined();
    expect(server.bodies.map((body) => 'reasoning' in body)).toEqual([true, false]);
  });

  test("of a loop's own temperature nobody is told, who has asked for none", async () => {
    await using server = await refusing(() => undefined);
    const backend: Backend = { type: 'openai', model: 'gpt-5.6', temperature: 0, is_loops_temperature: true };
    expect((await server.opener()(backend).ask()).notices).toBeUndefined();
    expect(server.bodies[0]).not.toHaveProperty('temperature');
  });

  test('a tool call is forced only where the model takes that', async () => {
    await using server = await refusing(() => undefined);
    await server.opener()({ type: 'chatcompletion', model: 'anthropic/claude-opus-5.5' }).ask(whole);
    expect(server.bodies[0]).toMatchObject({ tool_choice: 'auto' });
  });
});
