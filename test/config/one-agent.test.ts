import { preflight } from '../../src/config/kind.ts';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { checkConfig, checkTeam, ignoredKeys } from '../../src/config/kinds.ts';
import {
  completeAgent,
  defaultAgent,
  describeAgent,
  agentKind,
  type OneAgentConfig,
} from '../../src/config/one-agent.ts';
import { parseConfig, readConfigFile } from '../../src/config/read-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-agent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const block = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../fixtures/blocks/${name}.yaml`, import.meta.url)), 'utf8');

function agentOf(text: string): OneAgentConfig {
  const read = parseConfig(text, 'c.yaml');
  if (!read.ok || read.config.kind !== 'agent') throw new Error(`no agent: ${JSON.stringify(read)}`);
  return read.config.agent;
}

/** A valid configuration, with modules and wires of its own. */
const llm = { module: 'OpenAILLM', id: 'llm', config: { model: 'gpt-5' } };
const tools = { module: 'PythonToolProvider', id: 'tools', config: { tool_packages: ['tools.weather'] } };
const loop = { module: 'SimpleToolOrchestrator', id: 'loop' };
const wire = (module: string, protocol: string, provider: string | string[]) => ({ module, protocol, provider });
const toLlm = wire('loop', 'LLMProtocol', 'llm');
const toTools = wire('loop', 'ToolProviderProtocol', 'tools');
const toLoop = wire('__entry__', 'TextMessageHandlerProtocol', 'loop');
const configOf = (modules: object[], exchange: object[] = [toLlm, toTools, toLoop], rest: object = {}) => ({
  modules,
  exchange,
  ...rest,
});
const whole = configOf([llm, tools, loop]);

function accepted(content: unknown): OneAgentConfig {
  const checked = checkConfig(content);
  if (!checked.ok || checked.value.kind !== 'agent') throw new Error(JSON.stringify(checked));
  return checked.value.agent;
}

describe('the configurations that xaibo’s documentation prints', () => {
  test('SimpleToolOrchestrator', () => {
    expect(agentOf(block('simple-tool'))).toEqual({
      id: 'orchestrator',
      backend: { type: 'openai', model: 'gpt-4' },
      orchestrator: {
        kind: 'simple_tool',
        max_thoughts: 15,
        parallel: false,
        system_prompt:
          'You are a helpful assistant with access to various tools.\n' +
          'Always try to use tools when they can help answer questions.\n' +
          'Think step by step and explain your reasoning.\n',
      },
      tools: { packages: ['tools.weather', 'tools.calendar'], mcpServers: [] },
      coordination: expect.objectContaining({ broadcast: false }) as unknown,
      budget: undefined,
      unused: [],
    });
  });

  test('ReActOrchestrator', () => {
    expect(agentOf(block('react')).orchestrator).toEqual({
      kind: 'react',
      max_iterations: 15,
      show_reasoning: true,
      reasoning_temperature: 0.8,
      system_prompt: expect.stringContaining('follows the ReAct pattern') as unknown,
      thought_prompt: expect.stringContaining('What information do you need?') as unknown,
      action_prompt: expect.stringContaining('2. Provide FINAL_ANSWER') as unknown,
    });
  });
});

describe('a module’s kind is the last name of its path', () => {
  test.each([
    ['xaibo.primitives.modules.llm.openai.OpenAIProvider', 'openai'],
    ['xaibo.primitives.modules.llm.OpenAILLM', 'openai'],
    ['OpenAILLM', 'openai'],
    ['AnthropicLLM', 'claude'],
    ['some.where.GoogleLLM', 'gemini'],
    ['OfflineLLM', 'offline'],
  ])('%s is the backend %s', (module, type) => {
    expect(accepted(configOf([{ module, id: 'llm' }, tools, loop])).backend).toEqual({ type });
  });

  test('a path is an orchestrator of one’s own, with whatever configuration', () => {
    const config = { folder: 'x', depth: [1, { a: null }] };
    const own = { module: './loops/../own.ts', id: 'loop', config };
    expect(accepted(configOf([llm, tools, own])).orchestrator).toEqual({ kind: 'custom', module: './own.ts', config });
  });
});

describe('what is not wired', () => {
  test('an agent without a tool provider has no tools', () => {
    expect(accepted(configOf([llm, loop], [toLlm, toLoop])).tools).toEqual({ packages: [], mcpServers: [] });
  });

  test('history and response are the session’s, wired or not', () => {
    const modules = [
      llm,
      tools,
      loop,
      { module: 'xaibo.primitives.modules.ResponseHandler', id: '__response__' },
      { module: 'xaibo.primitives.modules.conversation.SimpleConversation', id: 'history' },
    ];
    const wires = [
      wire('loop', 'ResponseProtocol', '__response__'),
      wire('loop', 'ConversationHistoryProtocol', 'history'),
    ];
    expect(accepted(configOf(modules, [toLlm, toTools, toLoop, ...wires]))).toEqual(accepted(whole));
  });

  test('a module that no wire leads to is a notice', () => {
    const second = { module: 'ReActOrchestrator', id: 'second' };
    const third = { module: 'AnthropicLLM', id: 'third' };
    const config = accepted(
      configOf([llm, tools, loop, second, third], [toLlm, toTools, toLoop, wire('second', 'LLMProtocol', 'third')]),
    );
    expect(config.unused).toEqual(['second', 'third']);
    expect(ignoredKeys(agentKind, config)).toEqual(['Modules that nobody is wired to: second, third']);
  });
});

describe('tools', () => {
  const servers = [
    { name: 'files', transport: 'stdio', command: ['npx', 'server-files'], args: ['.'], env: { LEVEL: 'info' } },
    { name: 'search', transport: 'sse', url: 'https://example.com/mcp', headers: { 'X-Team': 'a' } },
    { name: 'plain', command: 'serve' },
  ];
  const mcp = { module: 'MCPToolProvider', id: 'mcp', config: { servers } };

  test('come from several providers, each package once, in the order of the wire', () => {
    const more = { ...tools, id: 'more', config: { tool_packages: ['builtin.calculator', 'tools.weather'] } };
    const toAll = wire('loop', 'ToolProviderProtocol', ['more', 'mcp', 'tools']);
    expect(accepted(configOf([llm, tools, more, mcp, loop], [toLlm, toAll, toLoop])).tools).toEqual({
      packages: ['builtin.calculator', 'tools.weather'],
      mcpServers: [
        { name: 'files', command: 'npx', args: ['server-files', '.'], env: { LEVEL: 'info' } },
        { name: 'search', url: 'https://example.com/mcp', headers: { 'X-Team': 'a' } },
        { name: 'plain', command: 'serve', args: [] },
      ],
    });
  });

  test('a provider’s timeout is that of each of its servers', () => {
    const slow = { ...mcp, id: 'tools', config: { servers, timeout: 60 } };
    const { mcpServers } = accepted(configOf([llm, slow, loop])).tools;
    expect(mcpServers.map(({ name, timeout }) => [name, timeout])).toEqual([
      ['files', 60],
      ['search', 60],
      ['plain', 60],
    ]);
  });

  test('a backend’s MCP servers are its agent’s', () => {
    const withServer = { ...llm, config: { mcp_servers: [{ name: 'a', url: 'http://a/' }] } };
    const agent = completeAgent(accepted(configOf([withServer, tools, loop])));
    expect(agent.tools.mcpServers).toEqual([{ name: 'a', url: 'http://a/' }]);
    expect(agent.backend).toEqual({ type: 'openai', model: 'gpt-6.2-sol' });
  });

  test('a module’s path has one spelling', () => {
    const two = { ...tools, config: { tool_packages: ['./tools/weather.ts', './a/../tools/weather.ts'] } };
    expect(accepted(configOf([llm, two, loop])).tools.packages).toEqual(['./tools/weather.ts']);
  });
});

test('the order of modules and wires changes nothing', () => {
  const expected = accepted(whole);
  const shuffled = fc.tuple(
    fc.shuffledSubarray(whole.modules, { minLength: 3 }),
    fc.shuffledSubarray(whole.exchange, { minLength: 3 }),
  );
  fc.assert(
    fc.property(shuffled, ([modules, exchange]) => {
      expect(accepted(configOf(modules, exchange))).toEqual(expected);
    }),
  );
});

test('a relative folder of an OfflineLLM is meant from the file’s own folder, also where a run is given the content', () => {
  const file = join(folder, 'agent.json');
  const offline = { module: 'OfflineLLM', id: 'llm', config: { folder: 'texts' } };
  writeFileSync(file, JSON.stringify(configOf([offline, tools, loop])));
  const read = readConfigFile(file);
  if (!read.ok || read.config.kind !== 'agent') throw new Error('no agent');
  expect(read.config.agent.backend.folder).toBe(join(folder, 'texts'));
  expect(accepted(read.config.content)).toEqual(read.config.agent);
});

test('a team’s task does not take it', () => {
  const file = join(folder, 'team.json');
  writeFileSync(file, JSON.stringify(whole, null, 2));
  expect(readConfigFile(file, checkTeam)).toEqual({
    ok: false,
    problems: [
      `${file}:2: modules: one agent (modules and exchange) takes no task of a team: talk to it with reprise chat, or the workflow session`,
    ],
  });
});

describe('ready to work', () => {
  test('a backend without a model gets its provider’s, and a missing key is named', () => {
    const agent = completeAgent(accepted(configOf([{ module: 'AnthropicLLM', id: 'llm' }, tools, loop])));
    expect(agent.backend).toEqual({ type: 'claude', model: 'claude-sonnet-5-5' });
    expect(preflight(agentKind, agent, {})).toEqual([
      'agent loop: its backend "claude" needs ANTHROPIC_API_KEY, which is not set',
    ]);
    expect(preflight(agentKind, agent, { ANTHROPIC_API_KEY: 'key' })).toEqual([]);
  });

  test('without a configuration it is a simple loop on the default backend, without tools', () => {
    expect(defaultAgent({ OPENAI_API_KEY: 'key' })).toMatchObject({
      backend: { type: 'openai' },
      orchestrator: { kind: 'simple_tool', system_prompt: '', max_thoughts: 60 },
      tools: { packages: [], mcpServers: [] },
    });
    expect(defaultAgent({}).backend.type).toBe('offline');
  });
});

describe('a description names backend, loop with its limits, and tools', () => {
  const described = (config: object): string => describeAgent(completeAgent(accepted(config)));

  test('of simple tool use', () => {
    expect(described(whole).split('\n')).toEqual([
      'One agent (loop):',
      '  backend: openai gpt-5',
      '  orchestrator: simple_tool, up to 10 model calls a turn',
      '  tools: tools.weather (loaded by the worker)',
    ]);
  });

  test('of ReAct, with everything beside it', () => {
    const react = { module: 'ReActOrchestrator', id: 'loop', config: { show_reasoning: false } };
    const rest = { coordination: { broadcast: 'human' }, budget: { calls: 9, usd: 0.5 }, idle_timeout: 60 };
    expect(described(configOf([llm, react], [toLlm, toLoop], rest)).split('\n')).toEqual([
      'One agent (loop):',
      '  backend: openai gpt-5',
      '  orchestrator: react, up to 10 cycles a turn, reasoning not shown, at temperature 0.7',
      '  tools: none',
      expect.stringContaining('Agents may ask a person (broadcast human)'),
      'Budget: 9 calls, 0.5 usd.',
      'A session ends after 60 s without a turn.',
    ]);
  });

  test('of a loop of one’s own', () => {
    const own = { module: './own.ts', id: 'loop' };
    expect(described(configOf([llm, tools, own]))).toContain('orchestrator: ./own.ts (loaded by the worker)');
  });
});
