import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backendOfType } from '../../src/config/backend.ts';
import { agentOn, needsDefault, withOverrides, type Overrides } from '../../src/config/overrides.ts';
import { checkConfig, type Config } from '../../src/config/kinds.ts';
import { completePlan } from '../../src/config/plan.ts';
import { completeResearch } from '../../src/config/research.ts';
import { completeTeam, teamKind } from '../../src/config/team.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const written = (content: object): Config => {
  const checked = checkConfig(content);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value;
};

const agent = (module: object, rest: object = {}): object => ({
  modules: [module, { module: 'SimpleToolOrchestrator', id: 'loop', config: { max_thoughts: 3 } }],
  exchange: [
    { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'loop' },
    { module: 'loop', protocol: 'LLMProtocol', provider: 'llm' },
  ],
  ...rest,
});

/** The backends of everybody who takes part, where OpenAI is the default. */
function everyone(config: Config): Backend[] {
  const environment = { OPENAI_API_KEY: 'k' };
  switch (config.kind) {
    case 'team':
      return Object.values(teamKind.roles(completeTeam(config.team, environment))).map(({ backend }) => backend);
    case 'agent':
      return [config.agent.backend];
    case 'research':
      return Object.values(completeResearch(config.research, environment).backends);
    case 'plan':
      return Object.values(completePlan(config.plan, environment).backends);
  }
}

const ollama: Backend = { type: 'chatcompletion', model: 'qwen3', base_url: 'http://127.0.0.1:11434/v1' };
const claude = { type: 'claude', model: 'claude-opus-5' } as const;

/** What somebody may have written of any backend. */
const rich = {
  type: 'chatcompletion',
  model: 'x',
  base_url: 'https://example.com/v1',
  api_key_env: 'MY_KEY',
  headers: { 'X-Tenant': '${TENANT}' },
  extra_body: { top_k: 3 },
  temperature: 0.3,
  max_tokens: 900,
  idle_timeout: 30,
  mcp_servers: [{ name: 'files', command: 'mcp-files' }],
} as const;

const configs: Record<string, object> = {
  'an empty team': {},
  'a team': {
    agents: [{ id: 'a', backend: claude }, { id: 'b' }],
    final_agent: { backend: rich, judge: { backend: claude } },
  },
  'a team with a judge': { agents: [{ id: 'a' }], final_agent: { judge: { backend: claude } } },
  'one agent': agent({ module: 'some.path.AnthropicLLM', id: 'llm', config: { model: 'claude-opus-5' } }),
  research: { research: { plan: { backend: claude }, backend: rich } },
  'research without a backend': { research: { criticism: { backend: claude } } },
  'a plan': { plan: { backend: claude, executor: { backend: rich, tool_packages: ['tools.weather'] } } },
  'a plan without a backend': { plan: {} },
};

describe.for(Object.keys(configs))('%s', (name) => {
  const config = written(configs[name] ?? {});

  test('--model is the backend of everybody', () => {
    for (const backend of everyone(withOverrides(config, { model: ollama })))
      expect(backend).toMatchObject({ type: 'chatcompletion', model: 'qwen3', base_url: ollama.base_url });
  });

  test('a fallback is the backend of those who have none, and of nobody else', () => {
    const had = everyone(config).map(({ type }) => type);
    const have = everyone(withOverrides(config, { fallback: ollama })).map(({ type }) => type);
    expect(have).toEqual(had.map((type) => (type === 'openai' ? 'chatcompletion' : type)));
    expect(needsDefault(config)).toBe(had.includes('openai'));
  });

  test('nothing chosen changes nothing', () => {
    expect(withOverrides(config, {})).toEqual(config);
  });
});

describe('what --model leaves of a backend', () => {
  const replaced = (backend: object, model = ollama): Backend | undefined =>
    everyone(withOverrides(written({ agents: [{ id: 'a', backend }] }), { model }))[0];

  test('whatever has a meaning for any provider, and nothing that has one for its own', () => {
    const config = withOverrides(written({ agents: [{ id: 'a', backend: rich }] }), { model: ollama });
    expect(config.kind === 'team' && config.team.agents?.[0]?.backend).toEqual({
      ...ollama,
      temperature: 0.3,
      max_tokens: 900,
      idle_timeout: 30,
      mcp_servers: [expect.objectContaining({ name: 'files' })],
    });
  });

  test('neither the address nor the key of the former provider', () => {
    const backend = replaced(rich, claude);
    expect(backend).toMatchObject({ ...claude, temperature: 0.3 });
    expect(backend).not.toHaveProperty('base_url');
    expect(backend).not.toHaveProperty('api_key_env');
    expect(backend).not.toHaveProperty('headers');
  });

  test('an effort if the new model takes it', () => {
    const minimal = { type: 'openai', model: 'gpt-5', reasoning_effort: 'minimal' };
    expect(replaced(minimal, { type: 'openai', model: 'gpt-5.4' })?.reasoning_effort).toBeUndefined();
    expect(replaced({ ...minimal, reasoning_effort: 'low' }, { type: 'openai', model: 'gpt-5.4' })).toMatchObject({
      reasoning_effort: 'low',
    });
  });

  test('of one agent, whose module changes with it', () => {
    const module = {
      module: 'xaibo.x.OpenAILLM',
      id: 'llm',
      config: { model: 'gpt-5', temperature: 1, base_url: 'https://a.b' },
    };
    const { content } = withOverrides(written(agent(module)), { model: claude });
    expect((content as { modules: object[] }).modules[0]).toEqual({
      module: 'AnthropicLLM',
      id: 'llm',
      config: { model: 'claude-opus-5', temperature: 1 },
    });
  });
});

describe('--tools', () => {
  const packagesOf = (content: object): string[][] => {
    const config = withOverrides(written(content), { tools: true });
    switch (config.kind) {
      case 'team':
        return completeTeam(config.team, {}).agents.map(({ tools }) => tools.packages);
      case 'agent':
        return [config.agent.tools.packages];
      case 'plan':
        return [completePlan(config.plan, {}).tools.packages];
      case 'research':
        return [];
    }
  };
  const everyday = ['builtin.web', 'builtin.attachments', 'builtin.workspace', 'builtin.python'];
  const llm = { module: 'OpenAILLM', id: 'llm' };

  test.each([
    ['each agent of the default team', {}, [everyday, everyday, everyday]],
    [
      'agents beside their own, each package once',
      { agents: [{ id: 'a', tool_packages: ['tools.weather', 'builtin.web'] }, { id: 'b' }] },
      [['tools.weather', ...everyday], everyday],
    ],
    ['one agent', agent(llm), [everyday]],
    ['the subtasks of a plan', { plan: {} }, [everyday]],
    [
      'those that have others',
      { plan: { executor: { tool_packages: ['tools.weather'] } } },
      [['tools.weather', ...everyday]],
    ],
    ['nobody in research, which searches by itself', { research: {} }, []],
  ])('gives the everyday tools to %s', (_, content, packages) => {
    expect(packagesOf(content)).toEqual(packages);
  });

  test('gives them to one agent that has other modules of tools, whatever these are called', () => {
    const own = { module: 'PythonToolProvider', id: 'everyday_tools', config: { tool_packages: ['tools.weather'] } };
    const { modules, exchange } = agent(llm) as { modules: object[]; exchange: object[] };
    const wire = { module: 'loop', protocol: 'ToolProviderProtocol', provider: 'everyday_tools' };
    expect(packagesOf({ modules: [...modules, own], exchange: [...exchange, wire] })).toEqual([
      ['tools.weather', ...everyday],
    ]);
  });
});

test('--budget replaces the limit in dollars, and leaves the others', () => {
  for (const content of Object.values(configs)) {
    const config = written({ ...content, budget: { usd: 3, calls: 40 } });
    expect(withOverrides(config, { usd: 0.5 }).content).toMatchObject({ budget: { usd: 0.5, calls: 40 } });
    expect(withOverrides(written(content), { usd: 0.5 }).content).toMatchObject({ budget: { usd: 0.5 } });
  }
});

test('--max-tokens limits the replies of everybody that a configuration names, and changes nothing else', () => {
  const limits = (value: unknown): unknown[] => {
    if (typeof value !== 'object' || value === null) return [];
    const { backend, module, config } = value as { backend?: object; module?: string; config?: object };
    const own = module?.endsWith('LLM') ? [config] : backend === undefined ? [] : [backend];
    return [
      ...own.map((each) => (each as { max_tokens?: number }).max_tokens),
      ...Object.values(value).flatMap(limits),
    ];
  };
  for (const content of Object.values(configs)) {
    const before = withOverrides(written(content), { model: ollama });
    const after = withOverrides(written(content), { model: ollama, maxTokens: 300 });
    expect(limits(after.content).length).toBeGreaterThan(0);
    expect(new Set(limits(after.content))).toEqual(new Set([300]));
    const without = (text: string): string => text.replaceAll(/,?"max_tokens":\d+/g, '').replaceAll('{,', '{');
    expect(without(JSON.stringify(after.content))).toBe(without(JSON.stringify(before.content)));
  }
});

const backend: fc.Arbitrary<Backend> = fc.constantFrom<Backend>(
  ollama,
  claude,
  { type: 'offline' },
  { type: 'gemini', model: 'gemini-3.8-flash' },
  {
    type: 'openai',
    model: 'gpt-5.4',
    base_url: 'https://me.openai.azure.com/openai/v1',
    api_key_env: 'AZURE_OPENAI_API_KEY',
  },
);

describe('of any choice', () => {
  test('it can be made twice, and the second time changes nothing', () => {
    const choice: fc.Arbitrary<Overrides> = fc.record(
      { model: backend, fallback: backend, usd: fc.constantFrom(0.5, 2), maxTokens: fc.constantFrom(100, 2000) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(configs)), choice, (content, chosen) => {
        const once = withOverrides(written(content), chosen);
        expect(withOverrides(once, chosen)).toEqual(once);
        expect(checkConfig(JSON.parse(JSON.stringify(once.content))).ok).toBe(true);
      }),
    );
  });

  test('an agent can be made of any backend', () => {
    fc.assert(
      fc.property(backend, ({ type, ...keys }) => {
        const { content, ...config } = agentOn({ type, ...keys });
        expect(config).toMatchObject({ kind: 'agent', agent: { id: 'agent', backend: { type, ...keys } } });
        expect(backendOfType(type).safeParse(keys).success).toBe(true);
        expect(checkConfig(content).ok).toBe(true);
      }),
    );
  });
});

test('a domain or an aspect that is called backend keeps its numbers', () => {
  const content = { weights: { backend: 1 }, domain: 'backend', domains: { backend: { min_viability_score: 60 } } };
  const config = withOverrides(written({ research: content }), { model: ollama, maxTokens: 300 });
  expect(config).toMatchObject({ research: { research: content } });
});
