import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../src/util/environment.ts';
import { checkConfig, type ConfigInput } from '../../src/config/kinds.ts';
import { preflight } from '../../src/config/kind.ts';
import { completeAgent, agentKind } from '../../src/config/one-agent.ts';
import { completePlan, planKind } from '../../src/config/plan.ts';
import { completeTeam, teamKind } from '../../src/config/team.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-path-'));
writeFileSync(join(folder, 'docker'), '#!/bin/sh\n');
chmodSync(join(folder, 'docker'), 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

type Mode = 'docker' | 'local';
const backendOf = (mode?: Mode) => ({
  type: 'offline' as const,
  enable_mcp_command_line: true,
  ...(mode && { command_line_execution_mode: mode }),
});

/** The packages of the tools of an agent that may run commands, and what keeps it from doing so. */
function examined(content: ConfigInput, environment: Environment) {
  const checked = checkConfig(content);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  const config = checked.value;
  if (config.kind === 'team') {
    const team = completeTeam(config.team, environment);
    return { packages: team.agents[0]?.tools.packages, problems: preflight(teamKind, team, environment) };
  }
  if (config.kind === 'plan') {
    const plan = completePlan(config.plan, environment);
    return { packages: plan.tools.packages, problems: preflight(planKind, plan, environment) };
  }
  if (config.kind !== 'agent') throw new Error('nobody has tools');
  const agent = completeAgent(config.agent);
  return { packages: agent.tools.packages, problems: preflight(agentKind, agent, environment) };
}

type Place = [what: string, owner: string, configOf: (mode?: Mode) => ConfigInput];

const places: Place[] = [
  ['a team', 'agent a', (mode) => ({ agents: [{ id: 'a', backend: backendOf(mode) }] })],
  ['a plan', 'executor', (mode) => ({ plan: { backend: backendOf(mode), executor: { tool_packages: [] } } })],
  [
    'one agent',
    'agent loop',
    (mode) => {
      const { type: _, ...config } = backendOf(mode);
      return {
        modules: [
          { module: 'OfflineLLM' as const, id: 'llm', config },
          { module: 'SimpleToolOrchestrator' as const, id: 'loop' },
        ],
        exchange: [
          { module: 'loop', protocol: 'LLMProtocol' as const, provider: 'llm' },
          { module: '__entry__', protocol: 'TextMessageHandlerProtocol' as const, provider: 'loop' },
        ],
      };
    },
  ],
];

describe.each(places)('in %s', (_, owner, configOf) => {
  test('commands run in containers unless something else is said', () => {
    const { packages, problems } = examined(configOf(), { PATH: folder });
    expect(packages).toEqual(['builtin.command']);
    expect(problems).toEqual([]);
    expect(examined(configOf('docker'), { PATH: folder }).packages).toEqual(['builtin.command']);
  });

  test('a program for containers that is missing keeps it from starting', () => {
    expect(examined(configOf(), { PATH: '/nowhere' }).problems).toEqual([
      expect.stringMatching(`^${owner}: commands run in containers, and there is no program "docker" on the PATH`),
    ]);
  });

  test('local commands need the leave of the worker', () => {
    expect(examined(configOf('local'), {}).problems).toEqual([
      expect.stringMatching(`^${owner}: commands may not run on this machine itself .*REPRISE_ALLOW_COMMANDS=local`),
    ]);
    const { packages, problems } = examined(configOf('local'), { REPRISE_ALLOW_COMMANDS: 'local' });
    expect(packages).toEqual(['builtin.command.local']);
    expect(problems).toEqual([]);
  });

  test.each(['1', 'true', 'LOCAL', 'docker', ''])('which is not %j', (allowed) => {
    expect(examined(configOf('local'), { REPRISE_ALLOW_COMMANDS: allowed }).problems).toHaveLength(1);
  });
});
