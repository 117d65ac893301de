import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { startGitHubServer } from '../support/github-server.ts';
import { tokensOfSearch } from '../support/model-search-answers.ts';
import { startModelSearches } from '../support/model-searches.ts';
import { startModelServer } from '../support/model-server.ts';
import { Machine } from '../support/processes.ts';
import { criticism, plan, researchScript } from '../support/research-script.ts';
import { rowsIn } from '../support/rows.ts';
import { startSearchServer } from '../support/search-server.ts';

/** The number of the run stands in every idea. */
const runIn = (prompt: string): string => /Survive \d+\./.exec(prompt)?.[0] ?? '';

const script = researchScript({
  plan: ({ iteration, prompt }) => plan(`${runIn(prompt)} Plan ${iteration}`),
  criticise: ({ idea }) => criticism(idea.endsWith('Plan 1') ? 20 : 72),
});
const backend = { type: 'openai' as const };

/** How many calls a run makes; there is one restart. */
const calls = 5;

describe.concurrent('kill -9 of a research run', { timeout: 600_000 }, () => {
  test("between a search by the provider's model and its acknowledgement: it is not paid for again", async ({
    onTestFinished,
  }) => {
    const searching = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const model = await startModelServer(script);
    const page = { url: 'https://found.example/', title: 'Found', text: 'Found.' };
    const searches = await startModelSearches(async () => {
      searching.resolve();
      await released.promise;
      return { pages: [page] };
    }, model);
    const machine = new Machine({ OPENAI_API_KEY: 'test-key', ...searches.variables });
    onTestFinished(async () => {
      await Promise.all([machine.killWorker(), machine.killServer()]);
      await Promise.all([model.close(), searches.close()]);
      rmSync(machine.home, { recursive: true, force: true });
    });
    await machine.startServer();
    await machine.startWorker();
    const reprise = await connect({ address: machine.address });
    onTestFinished(() => reprise.close());
    const run = await reprise.startResearch({ idea: 'Survive 1.', config: { research: { backend } } }, { id: 'run-1' });
    await searching.promise;
    // The server is stopped, so that the search cannot be acknowledged; its result is committed all the same.
    machine.pauseServer();
    released.resolve();
    await expect.poll(() => rowsIn(machine.home, 'tool_results')).toBe(1);
    await machine.killWorker();
    machine.resumeServer();
    await machine.startWorker();
    const { outcome, usage } = await run.result();
    expect(outcome).toBe('viable');
    // One in each iteration.
    expect(searches.searches).toHaveLength(2);
    expect(usage.byAgent['searches']).toMatchObject({ calls: 2, inputTokens: 2 * tokensOfSearch.input });
    expect(model.requests).toHaveLength(calls);
  });

  test('in a search, before an issue is looked for, and after it is created: one report and one issue each', async ({
    onTestFinished,
  }) => {
    const searching = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const search = await startSearchServer(async ({ query }) => {
      if (query.startsWith('Survive 1.')) {
        searching.resolve();
        await released.promise;
      }
      return { results: [{ title: query, url: 'https://found.example', content: 'Found.' }] };
    });
    const github = await startGitHubServer();
    const model = await startModelServer(script);
    const machine = new Machine({
      OPENAI_API_KEY: 'test-key',
      OPENAI_BASE_URL: model.openai,
      SEARXNG_URL: search.url,
      GITHUB_API_URL: github.url,
      GITHUB_TOKEN: 'test-token',
    });
    onTestFinished(async () => {
      await Promise.all([machine.killWorker(), machine.killServer()]);
      await Promise.all([model.close(), search.close(), github.close()]);
      rmSync(machine.home, { recursive: true, force: true });
    });
    await machine.startServer();
    await machine.startWorker();
    const reprise = await connect({ address: machine.address });
    onTestFinished(() => reprise.close());
    const research = {
      backend,
      search: { provider: 'searxng' as const },
      github_issue: { repo: 'owner/name' },
    };
    const start = (run: number) =>
      reprise.startResearch({ idea: `Survive ${run}.`, config: { research } }, { id: `run-${run}` });

    const creating = github.hold('POST');
    const runs = [await start(3)];
    await creating.reached;
    const looking = github.hold('GET');
    runs.push(await start(2));
    await looking.reached;
    runs.push(await start(1));
    await searching.promise;

    await machine.killWorker();
    for (const each of [creating, looking]) each.release();
    released.resolve();
    await machine.startWorker();
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(github.issues.map(({ title }) => title).toSorted()).toEqual([
      'On Survive 1. Plan 2',
      'On Survive 2. Plan 2',
      'On Survive 3. Plan 2',
    ]);
    const urls = new Set(results.map(({ issueUrl }) => issueUrl));
    expect(urls).toEqual(new Set(github.issues.map(({ html_url }) => html_url)));
    expect(rowsIn(machine.home, 'reports')).toBe(3);
    expect(model.requests).toHaveLength(calls * 3);
  });
});
