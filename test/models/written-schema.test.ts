import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../src/models/model.ts';
import { modelOpener } from '../../src/models/open-model.ts';
import { startModelServer } from '../support/model-server.ts';
import { delta, RawServer, refuse, stream } from '../support/raw-server.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const tool = (name: string, rest: object = {}) => ({
  name,
  description: 'd',
  parameters: { type: 'object' as const, properties: { text: { type: 'string' } }, required: ['text'] },
  ...rest,
});
const tools = [tool('answer'), tool('vote'), tool('search')];
const written = '{"name": "vote", "arguments": {"text": "x"}}';

type Body = Record<string, unknown>;

/** What a provider with its rules is sent. */
async function sent(backend: Backend, request: Partial<ModelRequest>): Promise<Body> {
  await using server = await disposable();
  const { openai, anthropic } = server;
  const open = modelOpener({
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: openai,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: anthropic,
  });
  const { signal } = new AbortController();
  const { message } = await open(backend).complete({
    messages: [{ role: 'user', content: 'Hi' }],
    tools,
    signal,
    onDelta: () => {},
    ...request,
  });
  expect(message.content).toBe(written);
  return server.requests.at(-1)!.body;
}

async function disposable() {
  const server = await startModelServer(() => ({ text: written }));
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

describe('a call by a schema is asked for in place of tools, of those alone that are named', () => {
  const either = [{ properties: { name: { enum: ['answer'] } } }, { properties: { name: { enum: ['vote'] } } }];

  test.each<[string, Backend, (schema: object) => object]>([
    [
      'by response_format of Chat Completions',
      { type: 'chatcompletion', model: 'm' },
      (schema) => ({ response_format: { type: 'json_schema', json_schema: { name: 'call', schema } } }),
    ],
    [
      'by text.format of Responses',
      { type: 'openai', model: 'm' },
      (schema) => ({ text: { format: { type: 'json_schema', name: 'call', schema } }, tool_choice: 'none' }),
    ],
    [
      "by output_config.format of Anthropic's Messages",
      { type: 'claude', model: 'claude-sonnet-5-5' },
      (schema) => ({ output_config: { format: { type: 'json_schema', schema } }, tool_choice: { type: 'none' } }),
    ],
  ])('%s', async (_, backend, expected) => {
    const many = await sent(backend, { toolChoice: 'required', bySchema: ['answer', 'vote'] });
    expect(many).toMatchObject(expected({ anyOf: either }));
    const one = await sent(backend, { toolChoice: { oneOf: ['vote'] }, bySchema: ['answer', 'vote'] });
    expect(one).toMatchObject(expected({ type: 'object', ...either[1] }));
    if (backend.type === 'chatcompletion') expect(many).not.toHaveProperty('tools');
  });

  test.each<[string, Backend, Partial<ModelRequest>]>([
    ['where the server forces calls', { type: 'openai', model: 'gpt-4.1' }, { bySchema: ['answer', 'vote'] }],
    [
      'where it has none of the tools',
      { type: 'chatcompletion', model: 'm' },
      { bySchema: ['answer', 'vote'], tools: [tool('search')] },
    ],
    ['where none is asked for', { type: 'claude', model: 'claude-sonnet-5-5' }, {}],
  ])('and not %s', async (_, backend, request) => {
    const body = await sent(backend, request);
    for (const place of ['response_format', 'text', 'output_config']) expect(body).not.toHaveProperty(place);
    expect(body).toHaveProperty('tools');
  });
});

test('texts and lists in a schema come to an end, but for the text that was asked for', async () => {
  const text = { type: 'string' };
  const properties = {
    content: text,
    reason: text,
    kind: { type: 'string', enum: ['a'] },
    items: { type: 'array', items: text },
    steps: { type: 'array', items: { type: 'object', properties: { needs: { type: 'array', items: text } } } },
  };
  const { response_format } = await sent(
    { type: 'chatcompletion', model: 'm' },
    { tools: [{ ...tool('answer'), parameters: { type: 'object', properties, required: [] } }], bySchema: ['answer'] },
  );
  const [bounded, name] = [500, 100].map((maxLength) => ({ type: 'string', maxLength }));
  expect(response_format).toMatchObject({
    json_schema: {
      schema: {
        properties: {
          arguments: {
            properties: {
              ...properties,
              reason: bounded,
              items: { type: 'array', items: bounded, maxItems: 20 },
              steps: { maxItems: 20, items: { properties: { needs: { items: name, maxItems: 20 } } } },
            },
          },
        },
      },
    },
  });
  expect(JSON.stringify(response_format).match(/maxLength/g)).toHaveLength(3);
});

test('a server that refuses a schema gets the tools again, and is not asked for one any more', async () => {
  await using server = await RawServer.start((response, body) => {
    if ('response_format' in body)
      return refuse(response, { message: 'response_format is not supported', param: 'response_format' });
    stream(response, [delta({ content: written }, 'stop'), '[DONE]']);
    return response.end();
  });
  const { ask } = server.opener()({ type: 'chatcompletion', model: 'm' });
  await ask({ tools, bySchema: ['answer', 'vote'] });
  await ask({ tools, bySchema: ['answer', 'vote'] });
  expect(server.bodies.map((body) => ['response_format' in body, 'tools' in body])).toEqual([
    [true, false],
    [false, true],
    [false, true],
  ]);
});
