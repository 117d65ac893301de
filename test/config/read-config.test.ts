import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { checkTeam } from '../../src/config/kinds.ts';
import { parseConfig, readConfigFile } from '../../src/config/read-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const yamlIn = (path: string) =>
  readdirSync(place(path))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(path, name));

test.each(['../../examples', '../../examples/ask-others', '../fixtures/blocks'].flatMap(yamlIn))(
  '%s is valid as it stands',
  (path) => {
    expect(readConfigFile(place(path))).toMatchObject({ ok: true });
  },
);

test('an empty mapping gets every default', () => {
  const read = parseConfig('{}', 'team.yaml');
  expect(read.ok && read.config).toEqual({
    kind: 'team',
    content: {},
    team: {
      timeout_settings: { orchestrator_timeout_seconds: 1800, agent_timeout_seconds: 600 },
      orchestrator: {
        restart_workspace: 'clean',
        coordination: {
          max_orchestration_restarts: 2,
          enable_post_presentation_evaluation: false,
          max_new_answers_per_agent: 3,
          answer_novelty_requirement: 'lenient',
          enable_planning_mode: false,
          broadcast: false,
          broadcast_timeout: 300,
          max_broadcasts_per_agent: 10,
          broadcast_sensitivity: 'medium',
          response_depth: 'medium',
        },
      },
    },
  });
});

test('JSON is read as well', () => {
  expect(parseConfig('{"agents": [{"id": "a", "backend": {"type": "offline"}}]}', 'team.json')).toMatchObject({
    ok: true,
  });
});

const agent = (backend: string) => `agents:\n  - id: a\n    backend:\n${backend.replaceAll(/^/gm, '      ')}\n`;

describe('a problem names file, line, key and the valid choices', () => {
  test.each([
    [
      'an unknown key at the top',
      'agent: []\n',
      'team.yaml:1: agent: unknown key; did you mean agents? valid keys: agents, final_agent,',
    ],
    [
      'an unknown key deep down',
      'orchestrator:\n  coordination:\n    max_orchestration_restart: 2\n',
      'team.yaml:3: orchestrator.coordination.max_orchestration_restart: unknown key; did you mean max_orchestration_restarts?',
    ],
    [
      'an unknown key in a list',
      agent('type: openai\nmodle: gpt-5'),
      'team.yaml:5: agents[0].backend.modle: unknown key; did you mean model?',
    ],
    [
      'the beginning of a key',
      agent('type: openai\napi_key: sk-x'),
      'team.yaml:5: agents[0].backend.api_key: unknown key; did you mean api_key_env?',
    ],
    [
      'a value that is none of the choices',
      agent('type: opnai'),
      'team.yaml:4: agents[0].backend.type: "opnai" is not one of openai | claude | gemini | chatcompletion | claude_code | offline; did you mean openai?',
    ],
    [
      'a mode that there is not',
      'orchestrator:\n  coordination:\n    broadcast: everyone\n',
      'team.yaml:3: orchestrator.coordination.broadcast: "everyone" is not one of false | agents | human',
    ],
    ['a wrong type', 'budget:\n  calls: many\n', 'team.yaml:2: budget.calls: "many" is not a number'],
    [
      'a number below the least',
      'orchestrator:\n  coordination:\n    max_orchestration_restarts: -1\n',
      'team.yaml:3: orchestrator.coordination.max_orchestration_restarts: -1 is too small (at least 0)',
    ],
    [
      'a timeout of 0',
      'timeout_settings:\n  agent_timeout_seconds: 0\n',
      'team.yaml:2: timeout_settings.agent_timeout_seconds: 0 is too small (more than 0)',
    ],
    [
      'a fraction of a restart',
      'orchestrator:\n  coordination:\n    max_orchestration_restarts: 1.5\n',
      'max_orchestration_restarts: 1.5 is not a whole number',
    ],
    ['a key that is missing', 'agents:\n  - backend: {type: offline}\n', 'team.yaml:2: agents[0].id: is missing'],
    [
      'a URL that is none',
      agent('type: chatcompletion\nbase_url: here'),
      'team.yaml:5: agents[0].backend.base_url: "here" is not a valid URL, which begins with http:// or https://',
    ],
    [
      'two agents of one id',
      'agents:\n  - id: a\n  - id: a\n',
      'team.yaml:3: agents[1].id: a second agent of the id "a"',
    ],
    [
      'a loop that there is not',
      'agents:\n  - id: a\n    orchestrator: reakt\n',
      'team.yaml:3: agents[0].orchestrator: "reakt" is not one of simple_tool | react | ./my-orchestrator.ts; did you mean react?',
    ],
    [
      'a loop of one’s own that leaves the folder',
      'agents:\n  - id: a\n    orchestrator: ./../own.ts\n',
      'team.yaml:3: agents[0].orchestrator: "./../own.ts" leaves the extensions folder',
    ],
    [
      'a tool package that is no name',
      'agents:\n  - id: a\n    tool_packages: [the weather]\n',
      'team.yaml:3: agents[0].tool_packages[0]: "the weather" is no name of a tool module',
    ],
    [
      'a server of tools that is neither command nor address',
      agent('type: openai\nmcp_servers: [{ name: a }]'),
      'team.yaml:5: agents[0].backend.mcp_servers[0]: a server has either a command, which is started, or a url',
    ],
    ['an idle timeout of 0', 'idle_timeout: 0\n', 'team.yaml:1: idle_timeout: 0 is too small (more than 0)'],
    ['no agents', 'agents: []\n', 'team.yaml:1: agents: must not be empty'],
    ['a file that is a list', '- a\n', 'team.yaml:1: a configuration is an object'],
    ['an empty file', '', 'team.yaml: the file is empty'],
    ['a syntax error', 'agents: [\n', 'team.yaml:2:'],
    ['a key twice', 'budget: {}\nbudget: {}\n', 'team.yaml:2: Map keys must be unique'],
    ['two documents', 'agents: []\n---\nagents: []\n', 'team.yaml:2: Source contains multiple documents'],
    ['an alias without an anchor', 'agents:\n  - id: *none\n', 'team.yaml:2: no &none stands before *none'],
    ['an alias in its own anchor', 'agents: &all\n  - *all\n', 'team.yaml:2: *all stands in &all itself'],
    [
      'aliases that multiply',
      [
        'a: &a [1]',
        ...'bcdefgh'.split('').map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefg'[at]}`).join()}]`),
      ].join('\n'),
      'team.yaml: its aliases stand for too much',
    ],
    [
      'a key of a mapping with names of one’s own',
      'prices:\n  m: { input: 1, cachedInput: 1, ouput: 1 }\n',
      'team.yaml:2: prices.m.ouput: unknown key; did you mean output? valid keys: input, cachedInput, output',
    ],
    [
      'an address without its scheme',
      agent('{ type: chatcompletion, model: m, base_url: "localhost:11434/v1" }'),
      'team.yaml:4: agents[0].backend.base_url: "localhost:11434/v1" is not a valid URL, which begins with http:// or https://',
    ],
    [
      'a domain that every object has',
      'research:\n  domain: constructor\n',
      'team.yaml:2: research.domain: "constructor" is no domain of this configuration; there are none: see domains',
    ],
  ])('%s', (_, text, message) => {
    const read = parseConfig(text, 'team.yaml');
    expect(read.ok ? [] : read.problems).toContainEqual(expect.stringContaining(message));
  });

  test('an agent may have what another one has, besides its own', () => {
    const text = 'agents:\n  - &first { id: a, backend: { type: offline } }\n  - { <<: *first, id: b }\n';
    const read = parseConfig(text, 'team.yaml');
    expect(read).toMatchObject({
      config: { content: { agents: [{ id: 'a' }, { id: 'b', backend: { type: 'offline' } }] } },
    });
  });

  test('an anchor may have as many aliases as a team has agents', () => {
    const agents = Array.from({ length: 199 }, (_, index) => `  - { id: a${index}, backend: *mine }`);
    const text = ['agents:', '  - { id: first, backend: &mine { type: offline } }', ...agents].join('\n');
    expect(parseConfig(text, 'team.yaml').ok).toBe(true);
  });

  test('a key of megabytes is not compared with all valid ones for as long as that takes', { timeout: 10_000 }, () => {
    expect(checkTeam({ ['x'.repeat(5_000_000)]: 1 }).ok).toBe(false);
  });

  test('all problems are named at once', () => {
    const read = parseConfig('agent: 1\nbudgt: 2\n', 'team.yaml');
    expect(read.ok ? [] : read.problems).toHaveLength(2);
  });

  test('a file that is not there, and a folder', () => {
    expect(readConfigFile(join(folder, 'none.yaml'))).toEqual({
      ok: false,
      problems: [expect.stringContaining('no such file')],
    });
    expect(readConfigFile(folder)).toEqual({ ok: false, problems: [expect.stringContaining('is a folder')] });
  });
});

test('a relative folder is meant from the file’s own folder', () => {
  const file = join(folder, 'team.yaml');
  writeFileSync(file, agent('type: offline\nfolder: texts'));
  const read = readConfigFile(file, checkTeam);
  expect(read.ok && read.config.agents?.[0]?.backend?.folder).toBe(resolve(folder, 'texts'));
});
