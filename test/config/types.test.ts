import { describe, expect, test } from 'vitest';
import type {
  ConfigInput,
  OneAgentConfigInput,
  PlanConfigInput,
  ResearchConfigInput,
  TeamConfigInput,
} from '../../src/client.ts';
import { checkConfig, checkPlan, checkResearch } from '../../src/config/kinds.ts';

// `@ts-expect-error` is an error itself where there is none. That types and checks agree, each test shows by checking the
// same configuration.

const isRight = (config: ConfigInput): boolean => checkConfig(config).ok;

const exchange: OneAgentConfigInput['exchange'] = [
  { module: 'loop', protocol: 'LLMProtocol', provider: 'llm' },
  { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'loop' },
];
const loop = { module: 'SimpleToolOrchestrator', id: 'loop' } as const;

describe('the types of a configuration’s author accept', () => {
  test('a team', () => {
    const team: TeamConfigInput = {
      agents: [
        { id: 'a', backend: { type: 'openai', model: 'gpt-5' }, tool_packages: ['builtin.web'] },
        {
          id: 'b',
          orchestrator: './mine.ts',
          backend: { type: 'claude', mcp_servers: [{ name: 'x', url: 'http://x/' }] },
        },
      ],
      orchestrator: { coordination: { broadcast: 'human', answer_novelty_requirement: 'strict' } },
      budget: { usd: 1 },
    };
    expect(isRight(team)).toBe(true);
    expect(isRight({})).toBe(true);
  });

  test('one agent, whose modules have bare names, dotted paths, or are its author’s own', () => {
    const agent: OneAgentConfigInput = {
      modules: [
        { module: 'xaibo.primitives.modules.llm.OpenAILLM', id: 'llm', config: { model: 'gpt-5' } },
        { module: 'PythonToolProvider', id: 'tools', config: { tool_packages: ['tools.weather'] } },
        { module: 'MCPToolProvider', id: 'mcp', config: { servers: [{ name: 'x', command: 'y' }], timeout: 3 } },
        { module: 'ReActOrchestrator', id: 'loop', config: { max_iterations: 3 } },
        { module: './own.ts', id: 'own', config: { depth: 3 } },
        { module: 'SimpleConversation', id: 'history', config: {} },
      ],
      exchange: [...exchange, { module: 'loop', protocol: 'ToolProviderProtocol', provider: ['tools', 'mcp'] }],
      idle_timeout: 60,
    };
    expect(isRight(agent)).toBe(true);
  });

  test('a research run and a plan', () => {
    const research: ResearchConfigInput = { research: { domain: 'a', domains: { a: {} }, approval: true } };
    const plan: PlanConfigInput = { plan: { executor: { orchestrator: 'react' } }, budget: { calls: 9 } };
    expect([research, plan].map(isRight)).toEqual([true, true]);
  });
});

describe('the types of a configuration’s author refuse', () => {
  test('a backend that there is not', () => {
    // @ts-expect-error
    expect(isRight({ agents: [{ id: 'a', backend: { type: 'opnai' } }] })).toBe(false);
    // @ts-expect-error
    expect(isRight({ agents: [{ id: 'a', backend: { type: 'opnai' } }], budget: { calls: 1 } })).toBe(false);
    // @ts-expect-error
    expect(isRight({ final_agent: { backend: { type: 'opnai' } } })).toBe(false);
    // @ts-expect-error
    expect(isRight({ research: { criticism: { backend: { type: 'opnai' } } } })).toBe(false);
    // @ts-expect-error
    expect(isRight({ plan: { executor: { backend: { type: 'opnai' } } } })).toBe(false);
  });

  test('a key that there is not', () => {
    // @ts-expect-error
    expect(isRight({ agent: [] })).toBe(false);
    // @ts-expect-error
    expect(isRight({ agents: [{ id: 'a', backend: { type: 'openai', modle: 'gpt-5' } }] })).toBe(false);
    // @ts-expect-error
    expect(isRight({ plan: { max_retires: 1 } })).toBe(false);
  });

  test('a choice that there is not', () => {
    // @ts-expect-error
    expect(isRight({ orchestrator: { coordination: { broadcast: 'everyone' } } })).toBe(false);
    // @ts-expect-error
    expect(isRight({ research: { search: { provider: 'bing' } } })).toBe(false);
  });

  test('a research run or a plan that nothing makes one', () => {
    // @ts-expect-error
    const research: ResearchConfigInput = { budget: { calls: 1 } };
    // @ts-expect-error
    const plan: PlanConfigInput = { budget: { calls: 1 } };
    expect([checkResearch(research).ok, checkPlan(plan).ok]).toEqual([false, false]);
  });

  test('modules and wires that there are not', () => {
    // @ts-expect-error
    expect(isRight({ modules: [{ module: 'OpenAILM', id: 'llm' }, loop], exchange })).toBe(false);
    // @ts-expect-error
    expect(isRight({ modules: [{ module: 'OpenAILLM' }, loop], exchange })).toBe(false);
    const modules: OneAgentConfigInput['modules'] = [{ module: 'OpenAILLM', id: 'llm' }, loop];
    // @ts-expect-error
    expect(isRight({ modules, exchange: [{ module: 'loop', protocol: 'LLM', provider: 'llm' }] })).toBe(false);
    // @ts-expect-error
    expect(isRight({ modules })).toBe(false);
  });

  test('settings that a module does not take, and the lack of those that it must have', () => {
    const bare: OneAgentConfigInput = {
      // @ts-expect-error
      modules: [{ module: 'OpenAILLM', id: 'llm', config: { modle: 'gpt-5' } }, loop],
      exchange,
    };
    const dotted: OneAgentConfigInput = {
      // @ts-expect-error
      modules: [{ module: 'a.OpenAILLM', id: 'llm', config: { modle: 'gpt-5' } }, loop],
      exchange,
    };
    // @ts-expect-error
    const lacking: OneAgentConfigInput['modules'] = [{ module: 'PythonToolProvider', id: 'tools' }];
    expect([bare, dotted, { modules: lacking, exchange }].map(isRight)).toEqual([false, false, false]);
  });
});
