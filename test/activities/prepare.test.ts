import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, describe, expect, test } from 'vitest';
import { createPreparations } from '../../src/activities/prepare.ts';
import type { Environment } from '../../src/util/environment.ts';
import { openGuard } from '../support/guard.ts';

const configFolder = mkdtempSync(join(tmpdir(), 'reprise-prepare-'));
afterAll(() => rmSync(configFolder, { recursive: true, force: true }));

const oneAgent = {
  modules: [
    { module: 'OpenAILLM', id: 'llm', config: { model: 'gpt-4.1' } },
    { module: 'SimpleToolOrchestrator', id: 'loop' },
    { module: 'OfflineLLM', id: 'spare' },
  ],
  exchange: [
    { module: 'loop', protocol: 'LLMProtocol', provider: 'llm' },
    { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'loop' },
  ],
};
writeFileSync(join(configFolder, 'talk.yaml'), JSON.stringify(oneAgent, null, 2));

const keys = { OPENAI_API_KEY: 'key' };
const prepared = (environment: Environment = keys) =>
  createPreparations({
    configFolder,
    environment,
    namespace: { hasQuestion: false },
    guard: openGuard(environment),
    prices: { 'gpt-4.1': { input: 1, cachedInput: 1, output: 1 } },
  });

async function problemsOf(preparing: Promise<unknown>): Promise<string[]> {
  const failure = await preparing.catch((error: unknown) => error);
  if (!(failure instanceof ApplicationFailure)) throw new Error('no failure of the application');
  expect(failure).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
  return failure.message.split('\n');
}

describe('a session', () => {
  test.each([oneAgent, 'talk', 'talk.yaml'])('is held with one agent, given or named: %j', async (config) => {
    const session = await prepared().prepareSession({ config, text: 'Hello' });
    expect(session).toMatchObject({
      kind: 'agent',
      agent: { id: 'loop', backend: { type: 'openai', model: 'gpt-4.1' }, tools: { packages: [] } },
      prices: { 'gpt-4.1': { input: 1 } },
      notices: ['Modules that nobody is wired to: spare'],
      history: [],
      text: 'Hello',
    });
  });

  test('is held with a team', async () => {
    const session = await prepared().prepareSession({ config: { agents: [{ id: 'a' }] } });
    expect(session).toMatchObject({ kind: 'team', team: { agents: [{ id: 'a' }] }, notices: [] });
  });

  test('without a configuration is held with one agent, and says where that is the offline model', async () => {
    const agent = { orchestrator: { kind: 'simple_tool' } };
    expect(await prepared().prepareSession({})).toMatchObject({ kind: 'agent', agent, notices: [] });
    expect(await prepared({}).prepareSession({})).toMatchObject({
      kind: 'agent',
      agent: { backend: { type: 'offline' } },
      notices: [expect.stringMatching(/the offline model answers, which is not a language model .*OPENAI_API_KEY/)],
    });
  });

  test('an offline model that a configuration names needs no notice', async () => {
    const [, loop] = oneAgent.modules;
    const modules = [{ module: 'OfflineLLM', id: 'llm' }, loop];
    expect(await prepared({}).prepareSession({ config: { ...oneAgent, modules } })).toMatchObject({ notices: [] });
  });

  test('does not begin with a missing key, and names it', async () => {
    expect(await problemsOf(prepared({}).prepareSession({ config: oneAgent }))).toEqual([
      'agent loop: its backend "openai" needs OPENAI_API_KEY, which is not set',
    ]);
  });

  test('does not begin with a wrong configuration, and names all that is wrong', async () => {
    const [llm] = oneAgent.modules;
    const modules = [llm, { module: 'SimpleToolOrchestrator', id: 'loop', config: { max_thoughts: 0 } }];
    const exchange = oneAgent.exchange.slice(1);
    expect(await problemsOf(prepared().prepareSession({ config: { modules, exchange } }))).toEqual([
      'config.modules[1].config.max_thoughts: 0 is too small (at least 1)',
      'config.exchange: {module: loop, protocol: LLMProtocol, provider: …} is missing; valid ids: llm',
    ]);
  });
});

describe('a team’s task does not take one agent', () => {
  const message =
    'one agent (modules and exchange) takes no task of a team: talk to it with reprise chat, or the workflow session';

  test('given', async () => {
    expect(await problemsOf(prepared().prepareOrchestration({ task: 'T', config: oneAgent }))).toEqual([
      `config.modules: ${message}`,
    ]);
  });

  test('named', async () => {
    expect(await problemsOf(prepared().prepareOrchestration({ task: 'T', config: 'talk' }))).toEqual([
      `${join(configFolder, 'talk.yaml')}:2: modules: ${message}`,
    ]);
  });
});

describe('prices', () => {
  const mine = { type: 'openai', model: 'my-model' };
  const price = { input: 1, cachedInput: 0.5, output: 2 };
  const hint = 'prices: {"my-model": {input: …, cachedInput: …, output: …}} gives it, in US dollars per million tokens';
  /** The same, as each kind of configuration writes it. */
  const kinds = {
    team: (rest: object) =>
      prepared().prepareOrchestration({ task: 'T', config: { agents: [{ id: 'a', backend: mine }], ...rest } }),
    'final agent': (rest: object) => {
      const config = { agents: [{ id: 'a' }], final_agent: { backend: mine }, ...rest };
      return prepared().prepareOrchestration({ task: 'T', config });
    },
    agent: (rest: object) => {
      const [, loop] = oneAgent.modules;
      const modules = [{ module: 'OpenAILLM', id: 'llm', config: { model: 'my-model' } }, loop];
      return prepared().prepareSession({ config: { ...oneAgent, modules, ...rest } });
    },
    research: (rest: object) =>
      prepared().prepareResearch({ idea: 'I', config: { research: { backend: mine }, ...rest } }),
    plan: (rest: object) => prepared().prepareSolve({ problem: 'P', config: { plan: { backend: mine }, ...rest } }),
  };

  test('a model that is served on this machine costs nothing, and nobody is warned', async () => {
    const local = { type: 'chatcompletion', model: 'my-model', base_url: 'http://127.0.0.1:11434/v1' };
    const config = { agents: [{ id: 'a', backend: local }] };
    expect(await prepared().prepareOrchestration({ task: 'T', config })).toMatchObject({ prices: {}, warnings: [] });
  });

  describe.each(Object.entries(kinds))('%s', (_, prepare) => {
    test('a model without one is a warning for the result', async () => {
      const { prices, warnings } = await prepare({});
      expect(warnings).toEqual([`No price is known for the model my-model, so its cost counts as 0; ${hint}`]);
      expect(prices).not.toHaveProperty('my-model');
    });

    test('a budget of money does not begin with it, and the message names model and key', async () => {
      expect(await problemsOf(prepare({ budget: { usd: 1 } }))).toEqual([
        `budget.usd: no price is known for the model my-model; ${hint}`,
      ]);
    });

    test('the configuration gives it', async () => {
      const { prices, warnings } = await prepare({ budget: { usd: 1 }, prices: { 'my-model': price } });
      expect(warnings).toEqual([]);
      expect(prices).toMatchObject({ 'my-model': price });
    });
  });

  test('the configuration’s wins over the file’s, which wins over the kept one', async () => {
    const team = { agents: [{ id: 'a', backend: { type: 'openai', model: 'gpt-4.1' } }] };
    const pricesOf = async (config: object) => (await prepared().prepareOrchestration({ task: 'T', config })).prices;
    expect(await pricesOf(team)).toEqual({ 'gpt-4.1': { input: 1, cachedInput: 1, output: 1 } });
    expect(await pricesOf({ ...team, prices: { 'gpt-4.1': price } })).toEqual({ 'gpt-4.1': price });
  });
});

test.each([
  [undefined, 'input: is missing (an object)'],
  ['hi', 'input: "hi" is not an object'],
])('an input that is no object is called so: %j', async (input, problem) => {
  expect(await problemsOf(prepared().prepareOrchestration(input as never))).toEqual([problem]);
});

describe('an input that the history cannot hold', () => {
  const long = '中'.repeat(350_000);

  test('is refused before anything is spent, whatever part of it is too long', async () => {
    const turn = { role: 'user', content: long };
    const refused = [
      prepared().prepareOrchestration({ task: long }),
      prepared().prepareSession({ text: 'Hi', history: [turn] }),
      prepared().prepareResearch({ idea: 'i', config: { research: { plan: { system_message: long } } } }),
      prepared().prepareSolve({ problem: long, attachments: [] }),
    ];
    for (const preparing of refused) {
      expect(await problemsOf(preparing)).toEqual([expect.stringMatching(/^the input has 1,050,\d+ bytes/)]);
    }
  });

  test('is refused also where a configuration in a file makes it so', async () => {
    writeFileSync(join(configFolder, 'long.yaml'), JSON.stringify({ agents: [{ id: 'a', system_message: long }] }));
    const config = 'long.yaml';
    expect(await problemsOf(prepared().prepareOrchestration({ task: 'x'.repeat(900_000), config }))).toEqual([
      expect.stringMatching(/^the input has \d+ bytes with its configuration, and may have 1500000$/),
    ]);
  });
});
