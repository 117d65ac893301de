import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import { hasTerminals, Home } from '../support/cli.ts';
import { startModelServer, type ModelServer } from '../support/model-server.ts';
import { serverKey, startNamedServer, type NamedServer, type ServerKind } from '../support/named-servers.ts';
import { teamScript } from '../support/team-script.ts';

const names = [
  'openai',
  'anthropic',
  'gemini',
  'openrouter',
  'azure',
  'ollama',
  'lmstudio',
  'vllm',
  'llamacpp',
] as const;

let model: ModelServer;
let servers: Record<ServerKind, NamedServer>;
/** A folder whose commands have all keys and addresses, and so one worker. */
let home: Home;

beforeAll(async () => {
  model = await startModelServer(teamScript());
  const started = await Promise.all(names.map(async (name) => [name, await startNamedServer(name, model)] as const));
  servers = Object.fromEntries(started) as typeof servers;
  home = await Home.make({
    OPENAI_API_KEY: serverKey('openai'),
    OPENAI_BASE_URL: `${servers.openai.url}/v1`,
    ANTHROPIC_API_KEY: serverKey('anthropic'),
    ANTHROPIC_BASE_URL: servers.anthropic.url,
    GEMINI_API_KEY: serverKey('gemini'),
    GEMINI_BASE_URL: `${servers.gemini.url}/v1beta/openai`,
    OPENROUTER_API_KEY: serverKey('openrouter'),
    OPENROUTER_BASE_URL: `${servers.openrouter.url}/api/v1`,
    AZURE_OPENAI_API_KEY: serverKey('azure'),
    AZURE_OPENAI_ENDPOINT: servers.azure.url,
    OLLAMA_HOST: new URL(servers.ollama.url).host,
    LMSTUDIO_BASE_URL: `${servers.lmstudio.url}/v1`,
    REPRISE_MODEL_KEY: serverKey('vllm'),
  });
});
afterAll(async () => {
  await home.remove();
  await Promise.all(Object.values(servers).map((server) => server.close()));
  await model.close();
});
beforeEach(() => {
  for (const { taken, refused } of Object.values(servers)) {
    taken.length = 0;
    refused.length = 0;
  }
});

/** The servers that were asked for replies, with the models. */
const asked = (): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(servers)
      .filter(([, { taken }]) => taken.length > 0)
      .map(([name, { taken }]) => [name, [...new Set(taken.map((each) => each.model))]]),
  );

const refusals = (): string[] => Object.values(servers).flatMap(({ refused }) => refused);

describe('ask --model, with no file written, reaches', () => {
  const named: Array<[ServerKind, () => string, string]> = [
    ['openai', () => 'openai/gpt-5.4', 'gpt-5.4'],
    ['anthropic', () => 'anthropic/claude-sonnet-5-5', 'claude-sonnet-5-5'],
    ['gemini', () => 'gemini/gemini-3.8-flash', 'gemini-3.8-flash'],
    ['openrouter', () => 'openrouter/z-ai/glm-5', 'z-ai/glm-5'],
    ['azure', () => 'azure/my-deployment', 'my-deployment'],
    ['ollama', () => 'ollama/qwen3:8b', 'qwen3:8b'],
    ['lmstudio', () => 'lmstudio/qwen/qwen3-8b', 'qwen/qwen3-8b'],
    ['vllm', () => `${servers.vllm.url}/v1#Qwen/Qwen3-8B`, 'Qwen/Qwen3-8B'],
    ['llamacpp', () => `${servers.llamacpp.url}#mine`, 'mine'],
  ];
  test.for(named)('%s', async ([kind, name, wanted]) => {
    const { status, stdout, stderr } = await home.run(['ask', '--model', name(), '--json', 'Say it.']);
    expect({ status, refusals: refusals(), stderr }).toMatchObject({ status: 0, refusals: [] });
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'submitted', answer: expect.stringContaining('final answer') });
    expect(asked()).toEqual({ [kind]: [wanted] });
    expect(readdirSync(home.folder)).toEqual(['home']);
  });
});

const backends = {
  agents: [
    { id: 'one', backend: { type: 'claude', model: 'claude-opus-5', max_tokens: 900 } },
    { id: 'two', backend: { type: 'chatcompletion', model: 'x', base_url: 'http://127.0.0.1:9/v1', temperature: 0.3 } },
    { id: 'three' },
  ],
  final_agent: { backend: { type: 'openai', model: 'gpt-5' }, judge: { backend: { type: 'gemini' } } },
};

describe('with a configuration', () => {
  test('--model replaces every backend, and leaves what any model takes', async () => {
    writeFileSync(join(home.folder, 'team.json'), JSON.stringify(backends));
    const words = ['ask', '--config', 'team.json', '--model', 'ollama/qwen3:8b', 'Say it.'];
    const { status, stderr } = await home.run(words);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(asked()).toEqual({ ollama: ['qwen3:8b'] });
    const bodies = model.requests.slice(-servers.ollama.taken.length).map(({ body }) => body);
    expect(bodies.some((body) => body['max_tokens'] === 900)).toBe(true);
    expect(bodies.some((body) => body['temperature'] === 0.3)).toBe(true);
  });

  test('a model of it that the server does not list is refused before the run', async () => {
    const agents = [{ id: 'one', backend: { type: 'gemini', model: 'gemini-3.8-flesh' } }];
    writeFileSync(join(home.folder, 'misspelt.json'), JSON.stringify({ agents }));
    const { status, stderr } = await home.run(['ask', '--config', 'misspelt.json', 'Say it.']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^misspelt\.json: \S+ has no model "gemini-3\.8-flesh"; did you mean gemini-3\.8-flash\?/m);
    expect(asked()).toEqual({});
  });

  test('--agents is refused, with the reason', async () => {
    const { status, stderr } = await home.run(['ask', '--config', 'team.json', '--agents', '2', 'Say it.']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/--agents makes a team of its own, and team\.json says who takes part/);
  });
});

test('--agents makes a team of so many', async () => {
  const { stdout } = await home.run(['ask', '--agents', '5', '--model', 'gpt-5.4', '--json', 'Say it.']);
  const { usage } = JSON.parse(stdout) as OrchestrationResult;
  expect(Object.keys(usage.byAgent).sort()).toEqual(['agent_a', 'agent_b', 'agent_c', 'agent_d', 'agent_e']);
});

describe('chat', () => {
  test('--model talks with one agent', async () => {
    const { status, stdout, stderr } = await home.run(['chat', '--model', 'lmstudio/qwen/qwen3-8b', 'Say it.']);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout).toContain('The final answer');
    expect(servers.lmstudio.taken).toHaveLength(1);
  });

  test('--agents talks with a team', async () => {
    const words = ['chat', '--agents', '2', '--model', 'ollama/qwen3:8b', '--json', 'Say it.'];
    const { status, stderr } = await home.run(words);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(servers.ollama.taken.length).toBeGreaterThan(4);
  });
});

describe('--budget', () => {
  test('ends a run that would cost more', async () => {
    const words = ['ask', '--model', 'gpt-5.4', '--budget', '0.000001', '--json', 'Say it.'];
    const { status, stdout, stderr } = await home.run(words);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'budget' });
  });

  test('is refused for a model of this machine, which has no price', async () => {
    const { status, stderr } = await home.run(['ask', '--model', 'ollama/qwen3:8b', '--budget', '1', 'Say it.']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/qwen3:8b is served on this machine .*--budget\) is pointless.*budget\.calls.*prices:/);
    expect(asked()).toEqual({});
  });
});

describe('wrong names: status 2, nothing started', () => {
  const wrong: Array<[what: string, words: string[], said: RegExp]> = [
    ['no provider', ['--model', 'qwen3'], /--model: "qwen3" names no model\.\n.*\n  openai\/gpt-/],
    [
      'a model that Ollama lacks',
      ['--model', 'ollama/qwen3:4b'],
      /no model "qwen3:4b"; did you mean qwen3:8b\? it has:/,
    ],
    [
      'a tag that Ollama lacks',
      ['--model', 'ollama/qwen3'],
      /it has: qwen3:8b, llama3\.2:latest\..*ollama pull qwen3/s,
    ],
    [
      'a model that OpenAI does not list',
      ['--model', 'openai/gpt-5'],
      /--model openai\/gpt-5: http:\S+ has no model "gpt-5"; did you mean gpt-5\.4\?/,
    ],
    ['no server', ['--model', 'http://127.0.0.1:1#x'], /nothing answers at http:\/\/127\.0\.0\.1:1\/v1/],
    ['too few agents', ['--agents', '0'], /'--agents <n>'.*1 to 26/],
    ['half an agent', ['--agents', '1.5'], /'--agents <n>'.*1 to 26/],
    ['no amount', ['--budget', 'much'], /'--budget <usd>'.*US dollars/],
    ['no length', ['--max-tokens', '0.5'], /'--max-tokens <n>'.*number of tokens/],
    ['nothing to spend', ['--budget', '0'], /'--budget <usd>'.*US dollars/],
  ];
  test.for(wrong)('%s', async ([, words, said]) => {
    const { status, stdout, stderr } = await home.run(['ask', ...words, 'Say it.']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(said);
    expect(asked()).toEqual({});
  });

  test.for(['ask', 'start', 'chat', 'research', 'solve'])('%s takes the option', async (command) => {
    const { status, stderr } = await home.run([command, '--model', 'qwen3', '--budget', '1', 'Say it.']);
    expect(status).toBe(2);
    expect(stderr).toContain('--model: "qwen3" names no model');
  });

  test('a key that is not set', async () => {
    const words = ['ask', '--model', 'openrouter/z-ai/glm-5', 'Say it.'];
    const { status, stderr } = await home.run(words, { OPENROUTER_API_KEY: '' });
    expect(status).toBe(2);
    expect(stderr).toContain('needs OPENROUTER_API_KEY, which is not set');
  });

  test('Ollama takes a name without its tag if that is latest', async () => {
    const { stderr } = await home.run(['ask', '--model', 'ollama/Llama3.2', '--budget', '1', 'Say it.']);
    expect(stderr).toContain('--budget');
    expect(stderr).not.toContain('has no model');
  });
});

describe('for a worker elsewhere', () => {
  const elsewhere = ['--temporal', '192.0.2.1:7233'];

  test('nobody looks here for its servers and keys', async () => {
    const words = ['ask', '--model', 'http://127.0.0.1:1#x', ...elsewhere, 'Say it.'];
    expect(await home.run(words)).toMatchObject({ status: 3, stdout: '' });
  });

  test('chat --budget needs to know the model', async () => {
    const { status, stderr } = await home.run(['chat', '--budget', '1', ...elsewhere, 'Say it.']);
    expect(status).toBe(2);
    expect(stderr).toContain('--budget needs --model or --config');
  });
});

describe('without a key', () => {
  /** Neither keys nor names of models. */
  let bare: Home;
  beforeAll(async () => {
    bare = await Home.make({
      OLLAMA_HOST: servers.ollama.url,
      LMSTUDIO_BASE_URL: 'http://127.0.0.1:1/v1',
    });
  });
  afterAll(() => bare.remove());

  test('a server that runs here is named, and the offline model answers', async () => {
    const { status, stderr } = await bare.run(['ask', 'How many attempts are there?']);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const lines = stderr.split('\n').filter((line) => line.includes('Ollama'));
    expect(lines[0]).toBe('Ollama is running here with qwen3:8b, llama3.2:latest; to use it: --model ollama/qwen3:8b');
    expect(stderr).toContain('No API key is set: the offline model answers');
    expect(asked()).toEqual({});
  });

  describe.skipIf(!hasTerminals)('on a terminal', () => {
    const prompt = /Ollama is running here with qwen3:8b, llama3\.2:latest: use qwen3:8b\? \[Y\/n\] /;

    test('Enter takes the server that was found', async () => {
      const asking = bare.startOnTerminal(['ask', 'Say it.']);
      await asking.says(prompt);
      asking.type('\r');
      const { status } = await asking.finished;
      expect(status).toBe(0);
      expect(stripVTControlCharacters(asking.stderr)).toContain('--model ollama/qwen3:8b, or REPRISE_MODEL');
      expect(asked()).toEqual({ ollama: ['qwen3:8b'] });
    });

    test('n leaves it, and Ctrl-C leaves the command', async () => {
      const refusing = bare.startOnTerminal(['ask', 'How many attempts are there?']);
      await refusing.says(prompt);
      refusing.type('n\r');
      expect((await refusing.finished).status).toBe(0);
      const leaving = bare.startOnTerminal(['ask', 'Say it.']);
      await leaving.says(prompt);
      leaving.type('\u0003');
      expect((await leaving.finished).status).toBe(130);
      expect(asked()).toEqual({});
    });

    test('nobody is asked with --json, or by name', async () => {
      const { status, stderr } = await bare.startOnTerminal(['ask', '--json', 'How many attempts are there?']).finished;
      expect(status).toBe(0);
      expect(stderr).toContain('to use it: --model ollama/qwen3:8b');
      const named = await bare.startOnTerminal(['ask', '--model', 'offline', 'How many attempts are there?']).finished;
      expect(named.status).toBe(0);
      expect(named.stderr).not.toContain('Ollama');
    });
  });

  test('REPRISE_MODEL is the model of whoever has none, and of runs that others start', async () => {
    const { status, stderr } = await bare.run(['ask', 'Say it.'], { REPRISE_MODEL: 'ollama/qwen3:8b' });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(asked()).toEqual({ ollama: ['qwen3:8b'] });
    expect(stderr).not.toContain('offline');
    servers.ollama.taken.length = 0;
    const reprise = await bare.client();
    const run = await reprise.startOrchestration({ task: 'Say it.' });
    expect(await run.result()).toMatchObject({ outcome: 'submitted' });
    await reprise.close();
    expect(asked()).toEqual({ ollama: ['qwen3:8b'] });
  });

  test('REPRISE_MODEL that names no model: status 2', async () => {
    for (const words of [['ask', 'Say it.'], ['worker']]) {
      const { status, stderr } = await bare.runProcess(words, { REPRISE_MODEL: 'qwen3' });
      expect({ status, stderr }).toMatchObject({ status: 2 });
      expect(stderr).toMatch(/^REPRISE_MODEL: "qwen3" names no model/m);
    }
  });
});
