import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { fittingRequests } from '../../src/models/fitting.ts';
import { servedContexts } from '../../src/models/served-contexts.ts';
import type { Message } from '../../src/protocol/message.ts';
import type { Backend } from '../../src/protocol/settings.ts';

/** A server that lists what it is told to, by path. */
async function serving(lists: Record<string, object>) {
  const asked: string[] = [];
  /** What is listed otherwise once a path was asked for. */
  const loads: Record<string, Record<string, object>> = {};
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    Object.assign(lists, loads[url]);
    const { [url]: list } = lists;
    response.writeHead(list === undefined ? 404 : 200).end(JSON.stringify(list ?? { error: 'Not Found' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const backend: Backend = { type: 'chatcompletion', model: 'm', base_url };
  return { asked, backend, lists, loads, [Symbol.asyncDispose]: async () => void server.close() };
}

describe('the context that a server has loaded a model with', () => {
  test.each<[string, Record<string, object>, number | undefined]>([
    ['vLLM', { '/v1/models': { data: [{ id: 'm', max_model_len: 4096 }] } }, 4096],
    [
      'llama.cpp, under any name',
      {
        '/v1/models': {
          models: [{ name: 'm.gguf' }],
          data: [{ id: 'm.gguf', meta: { n_ctx: 2048, n_ctx_train: 8192 } }],
        },
      },
      2048,
    ],
    [
      'Ollama',
      {
        '/v1/models': { data: [{ id: 'm' }, { id: 'n' }] },
        '/api/ps': {
          models: [
            { model: 'n', context_length: 1 },
            { model: 'm:latest', context_length: 4096 },
          ],
        },
      },
      4096,
    ],
    [
      'LM Studio',
      {
        '/v1/models': { data: [{ id: 'm' }] },
        '/api/v0/models': { data: [{ id: 'm', max_context_length: 131_072, loaded_context_length: 4096 }] },
      },
      4096,
    ],
    ['a router says what a model could have', { '/v1/models': { data: [{ id: 'm', context_length: 9 }] } }, undefined],
    ['no list', {}, undefined],
    ['nonsense', { '/v1/models': { data: [null, 3, { id: 'm', max_model_len: 'long' }], models: {} } }, undefined],
  ])('%s', async (_, lists, expected) => {
    await using server = await serving(lists);
    expect(await servedContexts({})(server.backend)).toBe(expected);
  });

  test('is asked for once where it is said, and where a server lists nothing', async () => {
    for (const lists of [{ '/v1/models': { data: [{ id: 'm', max_model_len: 4096 }] } }, {}]) {
      await using server = await serving(lists);
      const contextOf = servedContexts({});
      await Promise.all([contextOf(server.backend), contextOf(server.backend)]);
      await contextOf(server.backend);
      expect(server.asked.filter((path) => path === '/v1/models').length).toBeLessThanOrEqual(2);
      expect(await contextOf(server.backend)).toBe('/v1/models' in lists ? 4096 : undefined);
    }
  });

  test('is that of its own model, where Ollama has loaded another one', async () => {
    await using server = await serving({
      '/v1/models': { data: [{ id: 'm:latest' }, { id: 'n:latest' }] },
      '/api/ps': { models: [{ model: 'n:latest', context_length: 1 }] },
    });
    expect(await servedContexts({})(server.backend)).toBeUndefined();
  });

  test('is known before the first call, since Ollama is told to load the model', async () => {
    await using server = await serving({ '/v1/models': { data: [{ id: 'm' }] }, '/api/ps': { models: [] } });
    server.loads['/api/generate'] = { '/api/ps': { models: [{ model: 'm:latest', context_length: 4096 }] } };
    const contextOf = servedContexts({});
    const team = await Promise.all([1, 2, 3].map(() => contextOf(server.backend)));
    expect(team).toEqual([4096, 4096, 4096]);
    expect(server.asked.filter((path) => path === '/api/generate').length).toBeLessThanOrEqual(3);
  });

  test('is asked for until Ollama or LM Studio has loaded the model, however many ask before', async () => {
    for (const [path, before, after] of [
      ['/api/ps', { models: [] }, { models: [{ model: 'm', context_length: 4096 }] }],
      ['/api/v0/models', { data: [{ id: 'm' }] }, { data: [{ id: 'm', loaded_context_length: 4096 }] }],
    ] as const) {
      await using server = await serving({ '/v1/models': { data: [{ id: 'm' }] }, [path]: before });
      const contextOf = servedContexts({});
      for (let time = 0; time < 5; time++) expect(await contextOf(server.backend)).toBeUndefined();
      server.lists[path] = after;
      expect(await contextOf(server.backend)).toBe(4096);
    }
  });

  test('is not asked for without an end where no server says it', async () => {
    await using server = await serving({ '/v1/models': { data: [{ id: 'm' }] } });
    const contextOf = servedContexts({});
    for (let time = 0; time < 9; time++) await contextOf(server.backend);
    expect(server.asked.filter((path) => path === '/v1/models')).toHaveLength(3);
  });

  test('is found where the server starts only after its first call', async () => {
    const server = createServer((_, response) => {
      response.end(JSON.stringify({ data: [{ id: 'm', max_model_len: 4096 }] }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const backend: Backend = { type: 'chatcompletion', model: 'm', base_url: `http://127.0.0.1:${port}/v1` };
    const contextOf = servedContexts({});
    expect(await contextOf(backend)).toBeUndefined();
    await once(server.listen(port, '127.0.0.1'), 'listening');
    expect(await contextOf(backend)).toBe(4096);
    server.closeAllConnections();
    server.close();
  });

  test("is nobody's business at a provider's own address", async () => {
    expect(await servedContexts({ OPENAI_API_KEY: 'k' })({ type: 'openai', model: 'gpt-5' })).toBeUndefined();
    expect(await servedContexts({})({ type: 'claude', model: 'x', base_url: 'http://127.0.0.1:1' })).toBeUndefined();
  });
});

describe('a reply at a server with a context of 4,000 tokens', () => {
  const limitFor = async (characters: number, keys: Partial<Backend> = {}, served: number | null = 4000) => {
    const opened: Backend[] = [];
    const send = fittingRequests((backend) => {
      opened.push(backend);
      return {
        servedContext: () => Promise.resolve(served ?? undefined),
        complete: () =>
          Promise.resolve({
            message: { role: 'assistant', content: '' },
            finish: 'stop',
            usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
          }),
      };
    });
    const messages: Message[] = [{ role: 'user', content: 'x'.repeat(characters) }];
    await send({ type: 'chatcompletion', model: 'm', ...keys }, messages, {
      tools: [],
      signal: new AbortController().signal,
      onDelta: () => {},
      loadImages: () => Promise.resolve(new Map()),
    });
    return opened.at(-1)?.max_tokens;
  };

  test.each([
    ['takes half of it after a short question', 100, 2000],
    ['takes what is left of it after a longer one', 7_500, 1491],
    ['keeps a quarter of it beside one that leaves less', 9_500, 1000],
  ])('%s', async (_, characters, expected) => expect(await limitFor(characters)).toBe(expected));

  test('has the limit that a configuration sets, and none where no server says its context', async () => {
    expect(await limitFor(100, { max_tokens: 50 })).toBe(50);
    expect(await limitFor(100, {}, 32_000)).toBe(8000);
    expect(await limitFor(100, {}, null)).toBeUndefined();
  });
});
