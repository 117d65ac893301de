import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createPreparations } from '../../src/activities/prepare.ts';
import { ignoredKeys } from '../../src/config/ignored-keys.ts';
import { checkConfig, type ConfigInput } from '../../src/config/kinds.ts';
import { readConfigFile } from '../../src/config/read-config.ts';

function ignoredIn(content: ConfigInput): string[] {
  const checked = checkConfig(content);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return ignoredKeys(checked.value);
}

const said = (...names: string[]) => [`Without effect in this version: ${names.join(', ')}`];

const type = 'offline' as const;
type Backend = {
  type: typeof type;
  cwd?: string;
  enable_mcp_command_line?: boolean;
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

describe('keys of later versions are named', () => {
  const inert = { cwd: 'here' };
  const names = ['cwd'];

  test.each(places)('%s', (_, configOf) => {
    expect(ignoredIn(configOf({ type, ...inert }))).toEqual(said(...names));
    expect(ignoredIn(configOf({ type }))).toEqual([]);
  });

  test('each once', () => {
    const backend = { type, cwd: 'here' };
    const agents = ['a', 'b'].map((id) => ({ id, backend }));
    expect(ignoredIn({ agents, final_agent: { backend } })).toEqual(said('cwd'));
  });

  test('of a team besides', () => {
    const orchestrator = { snapshot_storage: 'snapshots', agent_temporary_workspace: 'work' };
    expect(ignoredIn({ orchestrator })).toEqual(said('snapshot_storage', 'agent_temporary_workspace'));
  });

  test.each(['broadcast-agents', 'broadcast-human'])('in the complete example %s', (name) => {
    const read = readConfigFile(fileURLToPath(new URL(`../../examples/${name}.yaml`, import.meta.url)));
    if (!read.ok) throw new Error(read.problems.join('\n'));
    expect(ignoredKeys(read.config)).toEqual(said(...names, 'snapshot_storage', 'agent_temporary_workspace'));
  });
});

describe('commands are named where nobody may run them', () => {
  const named: Record<string, string> = {
    'final_agent.backend': 'enable_mcp_command_line (of final_agent)',
    'research.backend': 'enable_mcp_command_line',
    'research.plan.backend': 'enable_mcp_command_line',
    'research.criticism.backend': 'enable_mcp_command_line',
    'research.synthesize.backend': 'enable_mcp_command_line',
    'plan.planner.backend': 'enable_mcp_command_line (of planner)',
    'plan.validator.backend': 'enable_mcp_command_line (of validator)',
    'plan.synthesis.backend': 'enable_mcp_command_line (of synthesis)',
  };
  const on = { enable_mcp_command_line: true, command_line_execution_mode: 'docker' as const };

  test.each(places)('%s', (place, configOf) => {
    const name = named[place];
    expect(ignoredIn(configOf({ type, ...on }))).toEqual(name === undefined ? [] : said(name));
  });

  test('and so is the way of running them where they are not enabled', () => {
    const backend = { type, command_line_execution_mode: 'local' as const };
    expect(ignoredIn({ agents: [{ id: 'a', backend }] })).toEqual(
      said('command_line_execution_mode (without enable_mcp_command_line)'),
    );
  });
});

describe('servers of tools are named where nobody has them', () => {
  const named: Record<string, string> = {
    'final_agent.backend': 'mcp_servers (of final_agent)',
    'research.backend': 'mcp_servers',
    'research.plan.backend': 'mcp_servers',
    'research.criticism.backend': 'mcp_servers',
    'research.synthesize.backend': 'mcp_servers',
    'plan.planner.backend': 'mcp_servers (of planner)',
    'plan.validator.backend': 'mcp_servers (of validator)',
    'plan.synthesis.backend': 'mcp_servers (of synthesis)',
  };
  const mcp_servers = [{ name: 'files', command: 'serve' }];

  test.each(places)('%s', (place, configOf) => {
    const name = named[place];
    expect(ignoredIn(configOf({ type, mcp_servers }))).toEqual(name === undefined ? [] : said(name));
  });

  test('a plan’s own are the executor’s, unless that has a backend of its own', () => {
    const plan = { backend: { type, mcp_servers }, executor: { backend: { type, mcp_servers } } };
    expect(ignoredIn({ plan })).toEqual(said('mcp_servers (of backend)'));
  });
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
    prices: {},
  });
  const backend = { type, cwd: 'here' };

  test('of a team, and of a session with one', async () => {
    const config = { agents: [{ id: 'a', backend }] };
    const orchestration = await preparations.prepareOrchestration({ task: 'T', config });
    expect(orchestration.notices).toEqual(said('cwd'));
    expect((await preparations.prepareSession({ config })).notices).toEqual(said('cwd'));
  });

  test('of one agent', async () => {
    const [, configOf] = places.at(-1)!;
    const session = await preparations.prepareSession({ config: configOf(backend) });
    expect(session.notices).toEqual(said('cwd'));
  });

  test('of a research run', async () => {
    const search = { folder: import.meta.dirname };
    const config = { research: { backend: { type }, criticism: { backend }, search } };
    expect((await preparations.prepareResearch({ idea: 'I', config })).notices).toEqual(said('cwd'));
  });

  test('of a plan', async () => {
    const config = { plan: { backend: { type }, executor: { backend } } };
    expect((await preparations.prepareSolve({ problem: 'P', config })).notices).toEqual(said('cwd'));
  });
});
