import { preflight } from '../../src/config/kind.ts';
import { describe, expect, test } from 'vitest';
import { completeTeam, describeTeam, teamKind, teamSchema, type TeamConfigInput } from '../../src/config/team.ts';
import { checkedBy, problemText } from '../../src/config/problems.ts';
import type { Team } from '../../src/protocol/settings.ts';

const completed = (config: TeamConfigInput): Team => completeTeam(teamSchema.parse(config), {});

describe('an agent that is ready to work has its loop and its tools', () => {
  test('by default simple tool use, without tools', () => {
    for (const { orchestrator, tools } of completed({}).agents) {
      expect(orchestrator).toEqual({ kind: 'simple_tool', system_prompt: '', max_thoughts: 60, parallel: false });
      expect(tools).toEqual({ packages: [], mcpServers: [] });
    }
  });

  test.each([
    ['simple_tool', { kind: 'simple_tool', max_thoughts: 60 }],
    ['react', { kind: 'react', max_iterations: 60, show_reasoning: true }],
    ['./loops/own.ts', { kind: 'custom', module: './loops/own.ts', config: {} }],
  ])('%s', (orchestrator, settings) => {
    expect(completed({ agents: [{ id: 'a', orchestrator }] }).agents[0]?.orchestrator).toMatchObject(settings);
  });

  test.each([
    [{ max_thoughts: 3 }, { kind: 'simple_tool', max_thoughts: 3 }],
    [
      { orchestrator: 'react', max_iterations: 4 },
      { kind: 'react', max_iterations: 4 },
    ],
  ])('its loop has the limit that stands beside it: %j', (agent, settings) => {
    const { agents } = completed({ agents: [{ id: 'a', ...agent }] });
    expect(agents[0]?.orchestrator).toMatchObject(settings);
  });

  test.each([
    [{ max_iterations: 3 }, 'max_iterations: is a limit of the loop react; that of simple_tool is max_thoughts'],
    [
      { orchestrator: 'react', max_thoughts: 3 },
      'max_thoughts: is a limit of the loop simple_tool; that of react is max_iterations',
    ],
    [
      { orchestrator: './own.ts', max_thoughts: 3 },
      'max_thoughts: is a limit of the loop simple_tool; an orchestrator of your own sets its own limits',
    ],
  ])('a limit of another loop is a problem that says so: %j', (agent, problem) => {
    const checked = checkedBy(teamSchema, { agents: [{ id: 'a', ...agent }] });
    expect(checked.ok ? [] : checked.problems.map((each) => problemText(each))).toEqual([`agents[0].${problem}`]);
  });

  test('tools are those of its packages and of its backend’s servers', () => {
    const { agents } = completed({
      agents: [
        {
          id: 'a',
          tool_packages: ['tools.weather', 'tools.weather', 'builtin.calculator'],
          backend: { type: 'offline', mcp_servers: [{ name: 'files', command: 'serve' }] },
        },
      ],
    });
    expect(agents[0]).toMatchObject({
      tools: {
        packages: ['tools.weather', 'builtin.calculator'],
        mcpServers: [{ name: 'files', command: 'serve', args: [] }],
      },
    });
    expect(agents[0]?.backend).toEqual({ type: 'offline' });
  });
});

test.each([
  [{ agents: [{ id: 'a', backend: {} }] }, /^agents\[0\]\.backend\.type: is missing \(openai \| claude \| .*\)$/],
  [
    { orchestrator: { coordination: { enable_planning_mode: 'yes' } } },
    /^orchestrator\.coordination\.enable_planning_mode: "yes" is not true or false$/,
  ],
])('a value that is missing or none of the choices is told with the choices: %j', (config, said) => {
  const checked = checkedBy(teamSchema, config);
  expect(checked.ok ? [] : checked.problems.map((each) => problemText(each))).toEqual([expect.stringMatching(said)]);
});

test('a judge of its own has its model filled in, is checked, and is described', () => {
  const team = completed({
    agents: [{ id: 'a', backend: { type: 'offline' } }],
    final_agent: { judge: { backend: { type: 'claude' } } },
  });
  expect(team.final_agent).toEqual({ judge: { backend: expect.objectContaining({ type: 'claude' }) } });
  expect(team.final_agent?.judge?.backend.model).toMatch(/^claude-/);
  expect(preflight(teamKind, team, {})).toEqual([expect.stringMatching(/^judge: .*ANTHROPIC_API_KEY/)]);
  expect(describeTeam(team)).toContain('  judge: claude claude-');
  expect(Object.values(teamKind.roles(team)).map(({ backend }) => backend.type)).toEqual(['offline', 'claude']);
});

test('a description names loops and tools where they are others than the default', () => {
  const text = describeTeam(
    completed({
      agents: [
        { id: 'a', backend: { type: 'offline' } },
        {
          id: 'b',
          orchestrator: 'react',
          tool_packages: ['tools.weather'],
          backend: { type: 'offline', mcp_servers: [{ name: 'files', command: 'serve' }] },
        },
      ],
      idle_timeout: 3600,
    }),
  );
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      '  a: offline',
      '  b: offline; react, up to 60 cycles a turn, reasoning shown, at temperature 0.7; tools: tools.weather, MCP server files',
      'A session ends after 3600 s without a turn.',
    ]),
  );
});

test('of hundreds of thousands of mistakes the first are told, which takes no time', () => {
  const begun = performance.now();
  const many = Array.from({ length: 1e5 }, (_, index) => `key${index}`);
  const wrong = (value: unknown) => {
    const checked = checkedBy(teamSchema, value);
    return checked.ok ? [] : checked.problems.map((each) => problemText(each));
  };
  expect(wrong(Object.fromEntries(many.map((key) => [key, 1])))).toHaveLength(100);
  expect(wrong({ ['x'.repeat(1e6)]: 1 })).toHaveLength(1);
  const modules = many.map(() => ({ id: 'a' }));
  expect(wrong({ agents: modules })).not.toEqual([]);
  expect(performance.now() - begun).toBeLessThan(10_000);
});
