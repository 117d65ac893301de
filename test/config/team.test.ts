import { describe, expect, test } from 'vitest';
import { completeTeam, describeTeam, teamSchema, type Team, type TeamConfigInput } from '../../src/config/team.ts';

const completed = (config: TeamConfigInput): Team => completeTeam(teamSchema.parse(config), {});

describe('an agent that is ready to work has its loop and its tools', () => {
  test('by default simple tool use, without tools', () => {
    for (const { orchestrator, tools } of completed({}).agents) {
      expect(orchestrator).toEqual({
        kind: 'simple_tool',
        system_prompt: '',
        max_thoughts: 10,
        parallel: false,
      });
      expect(tools).toEqual({ packages: [], mcpServers: [] });
    }
  });

  test.each([
    ['simple_tool', { kind: 'simple_tool', max_thoughts: 10 }],
    ['react', { kind: 'react', max_iterations: 10, show_reasoning: true }],
    ['./loops/own.ts', { kind: 'custom', module: './loops/own.ts', config: {} }],
  ])('%s', (orchestrator, settings) => {
    expect(completed({ agents: [{ id: 'a', orchestrator }] }).agents[0]?.orchestrator).toMatchObject(settings);
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
      '  b: offline; react, up to 10 cycles a turn, reasoning shown, at temperature 0.7; tools: tools.weather, MCP server files',
      'A session ends after 3600 s without a turn.',
    ]),
  );
});
