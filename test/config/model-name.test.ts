import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backendSchema } from '../../src/config/backend.ts';
import { defaultBackend } from '../../src/config/models/complete-backend.ts';
import type { Environment } from '../../src/util/environment.ts';
import { backendOf, modelServers, ModelNameError } from '../../src/config/models/model-name.ts';
import { parseConfig } from '../../src/config/read-config.ts';
import { missingKey } from '../../src/config/models/providers.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const chat = (base_url: string, model: string, api_key_env?: string): Backend => ({
  type: 'chatcompletion',
  model,
  base_url,
  ...(api_key_env && { api_key_env }),
});

describe('the backend that a name stands for', () => {
  const ollama = 'OLLAMA_API_KEY';
  const named: Array<[name: string, backend: Backend, environment?: Environment]> = [
    ['offline', { type: 'offline' }],
    ['openai/gpt-5.4', { type: 'openai', model: 'gpt-5.4' }],
    ['anthropic/claude-sonnet-5-5', { type: 'claude', model: 'claude-sonnet-5-5' }],
    ['gemini/gemini-3.8-flash', { type: 'gemini', model: 'gemini-3.8-flash' }],
    ['OpenAI/gpt-5.4', { type: 'openai', model: 'gpt-5.4' }],
    ['gpt-5.4', { type: 'openai', model: 'gpt-5.4' }],
    ['o3', { type: 'openai', model: 'o3' }],
    ['o4-mini', { type: 'openai', model: 'o4-mini' }],
    ['claude-sonnet-5-5', { type: 'claude', model: 'claude-sonnet-5-5' }],
    ['gemini-3.8-flash', { type: 'gemini', model: 'gemini-3.8-flash' }],
    ['ollama/qwen3', chat('http://127.0.0.1:11434/v1', 'qwen3', ollama)],
    ['ollama/hf.co/a/b-GGUF:Q4_K_M', chat('http://127.0.0.1:11434/v1', 'hf.co/a/b-GGUF:Q4_K_M', ollama)],
    ['ollama/qwen3', chat('http://gpu:11434/v1', 'qwen3', ollama), { OLLAMA_HOST: 'gpu' }],
    ['ollama/qwen3', chat('http://127.0.0.1:4000/v1', 'qwen3', ollama), { OLLAMA_HOST: '0.0.0.0:4000' }],
    ['ollama/qwen3', chat('http://127.0.0.1:11434/v1', 'qwen3', ollama), { OLLAMA_HOST: '[::]' }],
    ['ollama/qwen3', chat('http://[::1]:11434/v1', 'qwen3', ollama), { OLLAMA_HOST: '::1' }],
    ['ollama/qwen3', chat('http://127.0.0.1:4000/v1', 'qwen3', ollama), { OLLAMA_HOST: ':4000' }],
    ['ollama/qwen3', chat('https://example.com/o/v1', 'qwen3', ollama), { OLLAMA_HOST: 'https://example.com/o/' }],
    ['lmstudio/qwen/qwen3-4b', chat('http://127.0.0.1:1234/v1', 'qwen/qwen3-4b', 'LM_API_TOKEN')],
    ['lmstudio/m', chat('http://gpu:1/v1', 'm', 'LM_API_TOKEN'), { LMSTUDIO_BASE_URL: 'http://gpu:1/v1/' }],
    ['openrouter/z-ai/glm-5', chat('https://openrouter.ai/api/v1', 'z-ai/glm-5', 'OPENROUTER_API_KEY')],
    ['openrouter/auto', chat('https://openrouter.ai/api/v1', 'openrouter/auto', 'OPENROUTER_API_KEY')],
    [
      'openrouter/a/b',
      chat('http://127.0.0.1:1/api/v1', 'a/b', 'OPENROUTER_API_KEY'),
      { OPENROUTER_BASE_URL: 'http://127.0.0.1:1/api/v1' },
    ],
    ...['https://me.openai.azure.com', 'https://me.openai.azure.com/', 'https://me.openai.azure.com/openai/v1/'].map(
      (endpoint): [string, Backend, Environment] => [
        'azure/mine',
        {
          type: 'openai',
          model: 'mine',
          base_url: 'https://me.openai.azure.com/openai/v1',
          api_key_env: 'AZURE_OPENAI_API_KEY',
        },
        { AZURE_OPENAI_ENDPOINT: endpoint },
      ],
    ),
    [
      'https://me.openai.azure.com/openai/v1/#mine',
      {
        type: 'openai',
        model: 'mine',
        base_url: 'https://me.openai.azure.com/openai/v1',
        api_key_env: 'AZURE_OPENAI_API_KEY',
      },
    ],
    ['http://127.0.0.1:8000/v1#Qwen/Qwen3-8B', chat('http://127.0.0.1:8000/v1', 'Qwen/Qwen3-8B')],
    ['http://localhost:8080#a', chat('http://localhost:8080/v1', 'a')],
    ['http://[::1]:8080/v1/#a#b', chat('http://[::1]:8080/v1', 'a#b')],
    ['http://127.0.0.1:1/v1#a', chat('http://127.0.0.1:1/v1', 'a', 'REPRISE_MODEL_KEY'), { REPRISE_MODEL_KEY: 'k' }],
    ['https://gpu.example.com/api/v1#a', chat('https://gpu.example.com/api/v1', 'a', 'REPRISE_MODEL_KEY')],
  ];
  test.for(named)('%s', ([name, backend, environment = {}]) => {
    expect(backendOf(name, environment)).toEqual(backend);
    expect(backendSchema.parse(backend)).toEqual(backend);
  });

  test.for([
    ['', /names no model/],
    ['qwen3', /names no model/],
    ['gpt-oss:20b', /names no model/],
    ['ollama/', /names no model/],
    ['ollama', /names no model/],
    ['mistral/large', /names no model/],
    ['ollama/qwen3 8b', /names no model/],
    ['constructor/x', /names no model/],
    ['http://127.0.0.1:8000/v1', /stands after #, as in http:\/\/127\.0\.0\.1:8000\/v1#name/],
    ['http://127.0.0.1:8000/v1#', /stands after #/],
    ['http://#x', /no valid address/],
    ['http://127.0.0.1:8000/v1?key=1#x', /query/],
    ['azure/mine', /AZURE_OPENAI_ENDPOINT/],
  ] as const)('%j names none, and the error says what does', ([name, said]) => {
    expect(() => backendOf(name, {})).toThrow(ModelNameError);
    expect(() => backendOf(name, {})).toThrow(said);
  });

  test('the valid forms are listed with what each needs', () => {
    expect(() => backendOf('nothing', {})).toThrow(
      /openai\/gpt-.* OPENAI_API_KEY\n.*anthropic\/claude-.* ANTHROPIC_API_KEY\n[^]*ollama\/[^]*lmstudio\/[^]*http:[^]*offline/,
    );
  });

  test('a password in an address is refused, and not repeated', () => {
    const text = 'https://me:hunter2@example.com/v1#x';
    expect(() => backendOf(text, {})).toThrow(/name or a password/);
    expect(() => backendOf(text, {})).not.toThrow(/hunter2/);
  });

  test.for([
    ['OLLAMA_HOST', 'ollama/x', 'http://a b'],
    ['LMSTUDIO_BASE_URL', 'lmstudio/x', '127.0.0.1:1234'],
    ['OPENROUTER_BASE_URL', 'openrouter/a/b', 'nowhere'],
    ['AZURE_OPENAI_ENDPOINT', 'azure/x', 'me'],
  ] as const)('%s that is no address is named', ([variable, name, address]) => {
    expect(() => backendOf(name, { [variable]: address })).toThrow(variable);
  });
});

const word = fc.stringMatching(/^[A-Za-z0-9._:@+-]{1,30}$/);

describe('of any name', () => {
  test('there is a valid backend or an error that lists the forms', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl({ withFragments: true }), word), fc.string(), (name, host) => {
        try {
          expect(backendSchema.safeParse(backendOf(name, { OLLAMA_HOST: host })).success).toBe(true);
        } catch (error) {
          if (!(error instanceof ModelNameError)) throw error;
        }
      }),
    );
  });

  test('what follows the provider, slashes included, is the model', () => {
    const prefix = fc.constantFrom('openai', 'anthropic', 'gemini', 'openrouter', 'ollama', 'lmstudio');
    fc.assert(
      fc.property(prefix, word, word, (provider, vendor, model) => {
        expect(backendOf(`${provider}/${vendor}/${model}`, {}).model).toBe(`${vendor}/${model}`);
      }),
    );
  });

  test('what follows # in an address is the model, and what stands before it the address', () => {
    const address = fc.tuple(fc.domain(), fc.nat(65535), fc.constantFrom('/v1', '/openai/v1', '/api/v1/x'));
    fc.assert(
      fc.property(address, word, ([host, port, path], model) => {
        const { base_url, ...backend } = backendOf(`https://${host}:${port}${path}#${model}`, {});
        expect(new URL(base_url ?? '').href).toBe(new URL(`https://${host}:${port}${path}`).href);
        expect(backend.model).toBe(model);
      }),
    );
  });
});

describe('keys', () => {
  test.for(['ollama/a', 'lmstudio/a', 'openrouter/a/b', 'https://example.com/v1#a', 'http://gpu#a'])(
    '%s does not get the key of OpenAI',
    (name) => {
      expect(backendOf(name, {}).api_key_env ?? 'OPENAI_API_KEY').not.toBe('OPENAI_API_KEY');
    },
  );

  test.for([
    ['ollama/a', undefined],
    ['lmstudio/a', undefined],
    ['http://127.0.0.1:8000/v1#a', undefined],
    ['https://gpu.example.com/v1#a', undefined],
    ['openrouter/a/b', 'OPENROUTER_API_KEY'],
    ['https://me.openai.azure.com/openai/v1#a', 'AZURE_OPENAI_API_KEY'],
    ['openai/a', 'OPENAI_API_KEY'],
    ['anthropic/a', 'ANTHROPIC_API_KEY'],
    ['gemini/a', 'GEMINI_API_KEY'],
  ] as const)('%s lacks %s where nothing is set', ([name, variable]) => {
    expect(missingKey(backendOf(name, {}), {})).toBe(variable);
  });
});

describe('REPRISE_MODEL', () => {
  test('comes before every key', () => {
    const environment = { REPRISE_MODEL: 'ollama/qwen3', OPENAI_API_KEY: 'k' };
    expect(defaultBackend(environment)).toEqual(backendOf('ollama/qwen3', {}));
  });

  test('is named where it names no model', () => {
    expect(() => defaultBackend({ REPRISE_MODEL: 'qwen3' })).toThrow(/^REPRISE_MODEL: "qwen3" names no model/);
  });
});

test('the servers of this machine are at their own ports, unless a variable says otherwise', () => {
  const urls = (environment: Environment): string[] => modelServers(environment).map(({ baseUrl }) => baseUrl);
  expect(urls({})).toEqual(['http://127.0.0.1:11434/v1', 'http://127.0.0.1:1234/v1']);
  expect(urls({ OLLAMA_HOST: 'gpu:1', LMSTUDIO_BASE_URL: 'http://gpu:2/v1' })).toEqual([
    'http://gpu:1/v1',
    'http://gpu:2/v1',
  ]);
});

describe('docs/providers.md', () => {
  const environment = { AZURE_OPENAI_ENDPOINT: 'https://my-resource.openai.azure.com' };
  const sections = readFileSync('docs/providers.md', 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((text) => ({
      title: text.split('\n')[0],
      names: [...text.matchAll(/--model (\S+) "/g)].map(([, name = '']) => name),
      yaml: /```yaml\n([^]*?)```/.exec(text)?.[1],
    }))
    .filter(({ yaml }) => yaml !== undefined);

  test('has a section for each provider', () => {
    expect(sections.map(({ title }) => title)).toEqual([
      'OpenAI',
      'Anthropic',
      'Gemini',
      'OpenRouter',
      'Azure OpenAI',
      'Ollama',
      'LM Studio',
      'vLLM',
      'llama.cpp',
    ]);
  });

  test.for(sections)('$title: the command and the file say the same', ({ names, yaml = '' }) => {
    const read = parseConfig(yaml, 'page');
    if (!read.ok || read.config.kind !== 'team') throw new Error(JSON.stringify(read));
    const written = read.config.team.agents?.[0]?.backend;
    const { type, model, base_url, api_key_env } = written ?? {};
    expect(names.length).toBeGreaterThan(0);
    for (const name of names.filter((each) => each !== 'openrouter/auto'))
      expect(backendOf(name, environment)).toEqual(JSON.parse(JSON.stringify({ type, model, base_url, api_key_env })));
  });
});
