import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import { call, toolResults } from '../support/agent-script.ts';
import { tokensOfSearch, type SearchReply } from '../support/model-search-answers.ts';
import { startModelSearches } from '../support/model-searches.ts';
import type { Script } from '../support/model-server.ts';
import { plan, researchScript } from '../support/research-script.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { promptsFor, resultOf } from '../support/searching.ts';
import { completed, solveScript } from '../support/solve-script.ts';

/** The models are at the addresses of the searches, by the same key, as those of the providers are. */
const models = { openai: '', anthropic: '' };
let reply: SearchReply | Promise<SearchReply>;
const searches = await startModelSearches(() => reply, models);
const shared = sharedRunning();
afterAll(() => searches.close());

const page = { url: 'https://flour.example/prices', title: 'Prices', text: 'Flour has become dear.' };
beforeEach(() => {
  reply = { pages: [page] };
  searches.searches.length = 0;
});

/** A worker that has one key of a model, and no search service. */
async function having(variable: string, script: Script): Promise<SharedRunning> {
  const run = shared(script);
  Object.assign(models, { openai: run.model.openai, anthropic: run.model.anthropic });
  const none = { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' };
  await run.replaceWorker({ ...none, ...searches.variables, [variable]: 'test-key' });
  return run;
}

const noticesOf = async (handle: WorkflowHandle): Promise<string[]> => {
  const events = await handle.query<RunEvent[]>('events');
  return events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
};

describe.each([
  ['OPENAI_API_KEY', 'openai', 0.01],
  ['ANTHROPIC_API_KEY', 'claude', 0.01],
  ['GEMINI_API_KEY', 'gemini', 0.014],
])('research with nothing but %s', (variable, provider, fee) => {
  test('has material with addresses from its provider, says so, and counts what the searches cost', async () => {
    const run = await having(variable, researchScript({ plan: () => plan('Flour', ['flour prices', 'mills']) }));
    const handle = await run.startResearch({ idea: 'Flour', config: { research: {} } });
    const { outcome, report, usage, warnings } = await resultOf(handle);
    expect({ outcome, warnings }).toEqual({ outcome: 'viable', warnings: [] });
    expect(report.sources).toMatchObject([{ url: page.url }]);
    expect(promptsFor(run, 'submit_criticism')[0]).toMatch(
      /\[1\.1\] .*\(https:\/\/flour\.example\/prices\)\nFlour has become dear\./,
    );
    expect(await noticesOf(handle)).toEqual([
      `Searches with ${provider}, since ${variable} is set and search.provider is not`,
    ]);
    expect(searches.searches.map(({ query }) => query).toSorted()).toEqual(['flour prices', 'mills']);
    const spent = usage.byAgent['searches'];
    expect(spent).toMatchObject({ calls: 2, inputTokens: 2 * tokensOfSearch.input });
    expect(spent?.costUsd).toBeGreaterThan(2 * fee);
    expect(spent?.costUsd).toBeLessThan(2 * fee + 0.02);
    expect(usage.costUsd).toBeGreaterThan(spent?.costUsd ?? Infinity);
    expect(usage.calls).toBe(5);
  });
});

test('a search that fails counts what it has cost, and is a gap', async () => {
  reply = { searches: 0 };
  const run = await having('ANTHROPIC_API_KEY', researchScript());
  const config = { research: { max_planning_iterations: 1 } };
  const { gaps, usage } = await resultOf(await run.startResearch({ idea: 'Flour', config }));
  expect(gaps).toContainEqual(expect.stringContaining('claude answered without a search'));
  expect(usage.byAgent['searches']).toMatchObject({ inputTokens: 3 * tokensOfSearch.input });
});

test('a budget that is spent ends the run before it searches', async () => {
  const run = await having('OPENAI_API_KEY', researchScript());
  const config = { research: {}, budget: { usd: 0.000_001 } };
  expect(await resultOf(await run.startResearch({ idea: 'Flour', config }))).toMatchObject({ outcome: 'budget' });
  expect(searches.searches).toEqual([]);
});

test('web_search of an agent asks the provider too, and its cost is that of the run', async () => {
  const work = solveScript({
    work: (request) =>
      toolResults(request).some((text) => text.includes(page.url))
        ? completed('Dear.')
        : call('web_search', { query: 'flour' }),
  });
  const run = await having('OPENAI_API_KEY', work);
  const { usage } = await run.solve({ problem: 'What does flour cost?', config: { plan: {} } });
  expect(usage.byAgent['searches']).toMatchObject({ calls: 1, inputTokens: tokensOfSearch.input });
  expect(searches.searches).toMatchObject([{ provider: 'openai', query: 'flour' }]);
});
