import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/read-config.ts';
import { completeTeam, describeTeam } from '../../src/config/team.ts';

const problemsIn = (text: string): string[] => {
  const read = parseConfig(text, 'c.yaml');
  return read.ok ? [] : read.problems;
};

const configOf = (text: string) => {
  const read = parseConfig(text, 'c.yaml');
  if (!read.ok || read.config.kind !== 'team') throw new Error(`no team: ${JSON.stringify(read)}`);
  return read.config.team;
};

const setting = (line: string) => `orchestrator:\n  coordination:\n    ${line}\n`;
const example = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../examples/${name}.yaml`, import.meta.url)), 'utf8');

const described = (text: string): string => describeTeam(completeTeam(configOf(text), {}));

describe('a wrong value of asking is named with its line, its key and what is right', () => {
  test.each([
    ['broadcast: everyone', 'broadcast: "everyone" is not one of false | agents | human'],
    ['broadcast: agent', 'broadcast: "agent" is not one of false | agents | human; did you mean agents?'],
    ['broadcast: true', 'broadcast: true is not one of false | agents | human; say which: agents or human'],
    ['broadcast:', 'broadcast: null is not one of false | agents | human'],
    ['broadcast_timeout: 0', 'broadcast_timeout: 0 is too small (more than 0)'],
    ['broadcast_timeout: -1', 'broadcast_timeout: -1 is too small (more than 0)'],
    ['broadcast_timeout: .inf', 'broadcast_timeout: Infinity is not a finite number'],
    ['broadcast_timeout: .nan', 'broadcast_timeout: NaN is not a number'],
    ['broadcast_timeout: 5 minutes', 'broadcast_timeout: "5 minutes" is not a number'],
    ['broadcast_timeout: 1000000000', 'broadcast_timeout: 1000000000 is too large (at most 315360000)'],
    ['max_broadcasts_per_agent: 0', 'max_broadcasts_per_agent: 0 is too small (at least 1)'],
    ['max_broadcasts_per_agent: 1.5', 'max_broadcasts_per_agent: 1.5 is not a whole number'],
    ['broadcast_sensitivity: often', 'broadcast_sensitivity: "often" is not one of low | medium | high'],
    ['response_depth: hihg', 'response_depth: "hihg" is not one of low | medium | high; did you mean high?'],
    ['broadcast_timout: 3', 'broadcast_timout: unknown key; did you mean broadcast_timeout?'],
  ])('%s', (line, message) => {
    expect(problemsIn(setting(line))).toEqual([
      expect.stringContaining(`c.yaml:3: orchestrator.coordination.${message}`),
    ]);
  });

  test('other waiting times have the same limits', () => {
    const text = 'timeout_settings:\n  orchestrator_timeout_seconds: 1e12\n  agent_timeout_seconds: .inf\n';
    expect(problemsIn(text)).toEqual([
      'c.yaml:2: timeout_settings.orchestrator_timeout_seconds: 1000000000000 is too large (at most 315360000)',
      'c.yaml:3: timeout_settings.agent_timeout_seconds: Infinity is not a finite number',
    ]);
  });
});

describe('a description says who is asked', () => {
  test('each other, with the limits of it', () => {
    expect(described(example('broadcast-agents'))).toContain(
      'Agents may ask each other (broadcast agents): 300 s to respond, up to 10 open questions an agent, sensitivity high, depth medium.',
    );
  });

  test('a person', () => {
    expect(described(example('broadcast-human'))).toContain(
      'Agents may ask a person (broadcast human): 60 s to respond, up to 5 open questions an agent,',
    );
  });

  test('nobody where broadcasting is off', () => {
    expect(described('{}')).not.toMatch(/ask|broadcast/);
  });
});

describe('a coordination block beside research or plan', () => {
  test.each(['research: {}', 'plan: {}'])('%s: a good one is no problem', (kind) => {
    expect(problemsIn(`${kind}\ncoordination:\n  broadcast: human\n  broadcast_timeout: 60\n`)).toEqual([]);
  });

  test.each([
    ['broadcast: humans', 'broadcast: "humans" is not one of false | agents | human; did you mean human?'],
    ['broadcast_timeout: 0', 'broadcast_timeout: 0 is too small (more than 0)'],
    ['max_orchestration_restarts: 2', 'max_orchestration_restarts: unknown key; valid keys: broadcast, '],
    ['broadcast: agents', 'broadcast: "agents" has nobody to ask where there is one agent; use human'],
  ])('%s is named, beside research and beside plan', (line, message) => {
    const named = expect.stringContaining(`c.yaml:3: coordination.${message}`);
    expect(problemsIn(`research: {}\ncoordination:\n  ${line}\n`)).toEqual([named]);
    expect(problemsIn(`plan: {}\ncoordination:\n  ${line}\n`)).toEqual([named]);
  });
});
