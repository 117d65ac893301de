import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createPreparations } from '../../src/activities/prepare.ts';
import { checkConfig, type ConfigInput, ignoredKeys, partsOf } from '../../src/config/kinds.ts';
import { readConfigFile } from '../../src/config/read-config.ts';
import { openGuard } from '../support/guard.ts';

function ignoredIn(content: ConfigInput): string[] {
  const checked = checkConfig(content);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return ignoredKeys(...partsOf(checked.value));
}

const said = (...names: string[]) => [`Without effect in this version: ${names.join(', ')}`];

const type = 'offline' as const;
type Backend = {
  type: typeof type;
  cwd?: string;
  enable_mcp_command_line?: boolean;
  command_line_execution_mode?: 'docker';
  mcp_servers?: Array<{ name: string; command: string }>;
};
type Place = [place: string, configOf: (backend: Backend) => ConfigInput];

const wires = [
  { module: 'loop', protocol: 'LLMProtocol' as const, provider: 'llm' },
  { module: '__entry__', protocol: 'TextMessageHandlerProtocol' as const, provider: 'loop' },
];

const places: Place[] = [
  ['agents[0].backend', (backend) => ({ agents: [{ id: 'a', backend }, { id: 'b' }] })],
  ['final_agent.backend', (backend) => ({ final_agent: { backend } })],
  ['research.backend', (backend) => ({ research: { backend } })],
  ['research.plan.backend', (backend) => ({ research: { plan: { backend } } })],
  ['research.criticism.backend', (backend) => ({ research: { criticism: { backend } } })],
  ['research.synthesize.backend', (backend) => ({ research: { synthesize: { backend } } })],
  ['plan.backend', (backend) => ({ plan: { backend } })],
  ['plan.planner.backend', (backend) => ({ plan: { planner: { backend } } })],
  ['plan.validator.backend', (backend) => ({ plan: { validator: { backend } } })],
  ['plan.synthesis.backend', (backend) => ({ plan: { synthesis: { backend } } })],
  ['plan.executor.backend', (backend) => ({ plan: { executor: { backend } } })],
  [
    'the config of one agent’s model',
    (backend) => {
      const { type: _, ...config } = backend;
      const modules = [
        { module: 'OfflineLLM' as const, id: 'llm', config },
        { module: 'SimpleToolOrchestrator' as const, id: 'loop' },
      ];
      return { modules, exchange: wires };
    },
  ],
];

describe.each([
  ['mcp_servers', [{ name: 'files', command: 'serve' }]],
  ['cwd', 'here'],
  ['enable_mcp_command_line', true],
])('%s is named where nobody has tools', (key, value) => {
  const named: Record<string, string> = {
    'final_agent.backend': `${key} (of final_agent)`,
    'research.backend': key,
    'research.plan.backend': key,
    'research.criticism.backend': key,
    'research.synthesize.backend': key,
    'plan.planner.backend': `${key} (of planner)`,
    'plan.validator.backend': `${key} (of validator)`,
    'plan.synthesis.backend': `${key} (of synthesis)`,
  };
  const backend: Backend = { type, [key]: value };

  test.each(places)('%s', (place, configOf) => {
    const name = named[place];
    expect(ignoredIn(configOf(backend))).toEqual(name === undefined ? [] : said(name));
    expect(ignoredIn(configOf({ type }))).toEqual([]);
  });

  test('a plan’s own is the executor’s, unless that has a backend of its own', () => {
    expect(ignoredIn({ plan: { backend, executor: { backend } } })).toEqual(said(`${key} (of backend)`));
  });
});

test('a mode for commands is named where commands are not enabled', () => {
  const agents = [{ id: 'a', backend: { type, command_line_execution_mode: 'docker' as const } }, { id: 'b' }];
  expect(ignoredIn({ agents })).toEqual(said('command_line_execution_mode (without enable_mcp_command_line)'));
});

test.each(['broadcast-agents', 'broadcast-human'])('in the complete example %s everything has an effect', (name) => {
  const read = readConfigFile(fileURLToPath(new URL(`../../examples/${name}.yaml`, import.meta.url)));
  if (!read.ok) throw new Error(read.problems.join('\n'));
  expect(ignoredKeys(...partsOf(read.config))).toEqual([]);
});

test('what agents work with has an effect', () => {
  const agents = [{ id: 'a', orchestrator: 'react', tool_packages: ['tools.weather'] }];
  expect(ignoredIn({ agents, orchestrator: { coordination: { enable_planning_mode: true } } })).toEqual([]);
});

test('an agent alone has no other agents to ask', () => {
  const asking = (broadcast: 'agents' | 'human') => ({ orchestrator: { coordination: { broadcast } } });
  const agents = [{ id: 'a' }];
  expect(ignoredIn({ agents, ...asking('agents') })).toEqual([expect.stringMatching(/nobody to ask.*human/)]);
  expect(ignoredIn({ agents, ...asking('human') })).toEqual([]);
  expect(ignoredIn(asking('agents'))).toEqual([]);
});

describe('a run says the same', () => {
  const preparations = createPreparations({
    configFolder: '.',
    environment: {},
    namespace: { hasQuestion: false },
    guard: openGuard(),
    prices: {},
  });
  const moot = { type, command_line_execution_mode: 'docker' as const };
  const name = 'command_line_execution_mode (without enable_mcp_command_line)';

  test('of a team, and of a session with one', async () => {
    const config = { agents: [{ id: 'a', backend: moot }] };
    const orchestration = await preparations.prepareOrchestration({ task: 'T', config });
    expect(orchestration.notices).toEqual(said(name));
    expect((await preparations.prepareSession({ config })).notices).toEqual(said(name));
  });

  test('of one agent', async () => {
    const [, configOf] = places.at(-1)!;
    const session = await preparations.prepareSession({ config: configOf(moot) });
    expect(session.notices).toEqual(said(name));
  });

  test('of a research run', async () => {
    const search = { folder: import.meta.dirname };
    const config = { research: { backend: { type }, criticism: { backend: moot }, search } };
    expect((await preparations.prepareResearch({ idea: 'I', config })).notices).toEqual(said(name));
  });

  test('of a plan', async () => {
    const config = { plan: { backend: { type }, executor: { backend: moot } } };
    expect((await preparations.prepareSolve({ problem: 'P', config })).notices).toEqual(said(name));
  });
});
