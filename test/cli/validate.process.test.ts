import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Home } from '../support/cli.ts';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

let home: Home;
beforeAll(async () => {
  home = await Home.make();
  copyFileSync(`${examples}simple-tool.yaml`, join(home.folder, 'agent.yaml'));
});
afterAll(() => home.remove());

describe('a configuration of one agent', () => {
  test('is described, without its tools being loaded; a missing key is a warning', async () => {
    const file = `${examples}simple-tool.yaml`;
    const { status, stdout, stderr } = await home.run(['validate', file]);
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      `${file} is valid.`,
      'One agent (orchestrator):',
      '  backend: openai gpt-4',
      '  orchestrator: simple_tool, up to 15 model calls a turn',
      '  tools: tools.weather, tools.calendar (loaded by the worker)',
    ]);
    expect(stderr.trimEnd()).toBe(
      'Warning: agent orchestrator: its backend "openai" needs OPENAI_API_KEY, which is not set',
    );
  });

  test('is nothing to ask a team’s task of: status 2, nothing started', async () => {
    const { status, stderr } = await home.run(['ask', '--config', 'agent.yaml', 'hi']);
    expect(status).toBe(2);
    expect(stderr).toContain('agent.yaml:6: modules: one agent (modules and exchange) takes no task of a team');
    expect(existsSync(join(home.path, 'up.lock'))).toBe(false);
  });
});

describe('what a configuration names beside it', () => {
  test('and is not there is a warning, each with where it was looked for', async () => {
    mkdirSync(join(home.folder, 'tools'));
    writeFileSync(join(home.folder, 'tools/weather.ts'), 'throw new Error("nothing is loaded")');
    const server = { name: 'gate', url: 'https://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer ${GATE_TOKEN}' } };
    const agents = [
      { id: 'a', tool_packages: ['tools.weather', 'tools.wether', 'builtin.web'], backend: { type: 'offline' } },
      { id: 'b', orchestrator: './mine.ts', backend: { type: 'offline', folder: 'nowhere', mcp_servers: [server] } },
    ];
    writeFileSync(join(home.folder, 'named.json'), JSON.stringify({ agents }));
    const { status, stderr } = await home.run(['validate', 'named.json']);
    expect(status).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual([
      "Warning: the MCP server gate: headers.Authorization needs GATE_TOKEN, which is not set in the worker's environment",
      expect.stringMatching(/^Warning: tools\.wether: there is no tools\/wether\.ts .* did you mean tools\.weather\?/),
      expect.stringMatching(/^Warning: \.\/mine\.ts: there is no such file in \/./),
      expect.stringMatching(/^Warning: offline: there is no folder \/.*\/nowhere$/),
    ]);
  });
});

describe('a configuration of research', () => {
  test('is described with the numbers of its domain', async () => {
    const file = `${examples}research.yaml`;
    const { status, stdout, stderr } = await home.run(['validate', file]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toEqual([
      `${file} is valid.`,
      'A research run of the domain "trading":',
      '  plan: offline',
      '  criticism: offline',
      '  synthesize: offline',
      'Up to 3 planning iterations, until the viability score is at least 51; without a score: proceed.',
      'Aspects: feasibility 0.3, novelty 0.1, data 0.2, risk 0.3, testability 0.1.',
      expect.stringMatching(
        /^Searches the folder \/.*\/examples\/sample-corpus, up to 5 results a query; more than 3 similar works are prior art\.$/,
      ),
    ]);
  });

  test('whose surroundings lack something, or with keys that do nothing: warnings, each with its key', async () => {
    const backend = { type: 'offline', cwd: 'work', mcp_servers: [{ name: 'files', command: 'files' }] };
    const research = {
      backend,
      search: { folder: 'nowhere' },
      github_issue: { repo: 'owner/name' },
      approval: true,
    };
    writeFileSync(join(home.folder, 'research.json'), JSON.stringify({ research }));
    const { status, stdout, stderr } = await home.run(['validate', 'research.json']);
    expect(status).toBe(0);
    expect(stdout).toContain('A person approves before the report is written.\nOpens an issue in owner/name.\n');
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^Warning: search\.folder: there is no folder \/.*\/nowhere$/),
      'Warning: github_issue needs GITHUB_TOKEN, which is not set',
      'Without effect in this version: mcp_servers, cwd',
    ]);
  });
});

describe('a model without a price', () => {
  const write = (rest: object): void => {
    const agents = [{ id: 'a', backend: { type: 'openai', model: 'my-model' } }];
    writeFileSync(join(home.folder, 'unpriced.json'), JSON.stringify({ agents, ...rest }));
  };

  test('is a warning', async () => {
    write({});
    const { status, stderr } = await home.run(['validate', 'unpriced.json']);
    expect(status).toBe(0);
    expect(stderr).toContain(
      'Warning: No price is known for the model my-model, so its cost counts as 0; prices: {"my-model": {input:',
    );
  });

  test('and a budget of money: nothing starts, and the model and the key are named', async () => {
    write({ budget: { usd: 1 } });
    const { status, stderr } = await home.run(['ask', '--config', 'unpriced.json', 'hi'], { OPENAI_API_KEY: 'k' });
    expect(status).toBe(2);
    expect(stderr).toContain('budget.usd: no price is known for the model my-model; prices: {"my-model": {input:');
    expect(existsSync(join(home.path, 'up.lock'))).toBe(false);
  });

  test('has one where the configuration or the file of REPRISE_PRICES gives it', async () => {
    const prices = { 'my-model': { input: 1, cachedInput: 0.1, output: 2 } };
    write({ budget: { usd: 1 }, prices });
    expect((await home.run(['validate', 'unpriced.json'])).stderr).not.toContain('price');
    write({ budget: { usd: 1 } });
    const file = join(home.folder, 'prices.json');
    writeFileSync(file, JSON.stringify(prices));
    expect((await home.run(['validate', 'unpriced.json'], { REPRISE_PRICES: file })).stderr).not.toContain('price');
    writeFileSync(file, '{"my-model": 3}');
    const { status, stderr } = await home.run(['validate', 'unpriced.json'], { REPRISE_PRICES: file });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('REPRISE_PRICES: ') as string });
  });
});
