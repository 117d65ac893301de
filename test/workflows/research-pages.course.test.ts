import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createReadPage } from '../../src/activities/pages.ts';
import { readEnvironment } from '../../src/util/environment.ts';
import { noOrchestrators } from '../../src/config/extensions.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { openStore } from '../../src/store/open-store.ts';
import { openParts } from '../../src/worker/parts.ts';
import type { SearchAnswer } from '../support/search-server.ts';
import { criticism, plan, report, researchScript } from '../support/research-script.ts';
import { hits, promptsFor, researchInput, resultOf, searchingRuns } from '../support/searching.ts';

const { running, search } = searchingRuns();

describe('what the critic still searches for', () => {
  test('is searched once before the report, which cites it by further marks', async () => {
    search.find = (query) => (query === 'soil' ? hits('Soil') : hits('One'));
    const run = running(
      researchScript({
        criticise: () => criticism(80, { queries: ['soil', 'light', 'too many'] }),
        synthesise: () => report('T', 'So it is [2.1].'),
      }),
    );
    const { report: written } = await run.research(researchInput());
    expect(search.queries()).toEqual(['idea 1', 'soil', 'light']);
    expect(written.sources).toEqual([{ title: 'Soil', url: 'https://soil.example' }]);
    const [writer = ''] = promptsFor(run, 'submit_report');
    expect(writer).toContain('[2.1] Soil (https://soil.example)');
  });

  test('is searched for all the same when a person accepts meanwhile, be it twice', async () => {
    const reached = Promise.withResolvers<void>();
    const never = new Promise<SearchAnswer>(() => {});
    let isFirst = true;
    search.find = (query) => {
      if (query !== 'soil') return hits('One');
      reached.resolve();
      const found = isFirst ? never : hits('Soil');
      isFirst = false;
      return found;
    };
    const run = running(
      researchScript({
        criticise: () => criticism(80, { queries: ['soil'] }),
        synthesise: () => report('T', 'So it is [2.1].'),
      }),
    );
    const handle = await run.startResearch(researchInput());
    await reached.promise;
    await handle.signal('decide', { action: 'accept' });
    await handle.signal('decide', { action: 'accept' });
    const { report: written } = await resultOf(handle);
    expect(written.sources).toEqual([{ title: 'Soil', url: 'https://soil.example' }]);
    expect(new Set(search.queries())).toEqual(new Set(['idea 1', 'soil']));
  });

  test('is not searched for a plan that goes back', async () => {
    const run = running(
      researchScript({
        criticise: ({ idea }) => criticism(idea === 'idea 1' ? 20 : 80, { queries: idea === 'idea 1' ? ['soil'] : [] }),
      }),
    );
    await run.research(researchInput());
    expect(search.queries()).toEqual(['idea 1', 'idea 2']);
  });

  test('and does not work is a gap of the report', async () => {
    search.find = (query) => (query === 'soil' ? { status: 404 } : hits('One'));
    const run = running(researchScript({ criticise: () => criticism(80, { queries: ['soil'] }) }));
    const { gaps, outcome } = await run.research(researchInput());
    expect(outcome).toBe('viable');
    expect(gaps).toEqual([expect.stringMatching(/^Not searched \(iteration 1\): "soil": /)]);
  });
});

describe('pages', () => {
  const pages = createServer((request, response) => {
    const isLong = request.url === '/long';
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<p>${isLong ? 'Roots need depth. '.repeat(100) : `The page ${request.url} says it.`}</p>`);
  });
  const at = (path: string): string => `http://127.0.0.1:${(pages.address() as AddressInfo).port}${path}`;
  beforeAll(async () => {
    pages.listen(0, '127.0.0.1');
    await once(pages, 'listening');
  });
  afterAll(() => pages.close());
  const found = (...paths: string[]): SearchAnswer => ({
    results: paths.map((path) => ({ title: `At ${path}`, url: at(path), content: 'A snippet.' })),
  });

  test('of the best hits are read, each once in a run, and are material under the marks of their hits', async () => {
    search.find = (query) => (query === 'b' ? found('/b1', '/long') : found('/a1', '/a2', '/b1'));
    const run = running(
      researchScript({
        plan: ({ iteration }) => plan(`idea ${iteration}`, ['a', 'b']),
        criticise: ({ idea }) => criticism(idea === 'idea 1' ? 20 : 80),
      }),
    );
    const { address, bundle } = inject('temporal');
    const connection = await NativeConnection.connect({ address });
    const variables = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: run.model.openai, SEARXNG_URL: search.url() };
    const parts = openParts({ home: run.home, configFolder: run.home, variables }, noOrchestrators, {
      hasQuestion: false,
    });
    const store = openStore(run.home, readEnvironment(variables));
    const taskQueue = `${run.taskQueue}-pages`;
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowBundle: { codePath: bundle },
      // The pages of this test are on this machine.
      activities: { ...parts.activities, readPage: createReadPage({ store, pageRule: () => true }) },
      sinks: parts.sinks(connection, 'default'),
      plugins: [{ name: 'parts', runWorker: (running, next) => parts.run(running, next) }],
    });
    await worker.runUntil(async () => {
      const handle = await run.client.workflow.start('research', {
        taskQueue,
        workflowId: taskQueue,
        args: [researchInput({ search: { provider: 'searxng', read_pages: 3 } })],
      });
      expect(await resultOf(handle)).toMatchObject({ outcome: 'viable' });
      const events = await handle.query<RunEvent[]>('events');
      const read = events.flatMap((event) => (event.type === 'page' ? [[event.mark, event.url]] : []));
      expect(read).toHaveLength(3);
      expect(read).toEqual(
        expect.arrayContaining([
          ['1.1', at('/a1')],
          ['2.1', at('/b1')],
          ['1.2', at('/a2')],
        ]),
      );
    });
    await Promise.all([connection.close(), store.close()]);
    for (const prompt of [...promptsFor(run, 'submit_criticism'), ...promptsFor(run, 'submit_report')]) {
      expect(prompt).toContain('The page [1.1], as far as it was read:\nThe page /a1 says it.');
      expect(prompt).toContain('The page [2.1], as far as it was read:\nThe page /b1 says it.');
      expect(prompt).not.toContain('Roots need depth.');
    }
  });

  test('that cannot be read stay what the search has said of them', async () => {
    search.find = () => found('/a1');
    const run = running(researchScript());
    const handle = await run.startResearch(researchInput());
    expect(await resultOf(handle)).toMatchObject({ outcome: 'viable', gaps: [], warnings: [] });
    const events = await handle.query<RunEvent[]>('events');
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'page',
        mark: '1.1',
        why: expect.stringContaining('not on the public internet'),
      }),
    );
    expect(promptsFor(run, 'submit_criticism')[0]).toContain('A snippet.');
  });

  test('are not read where read_pages is 0', async () => {
    search.find = () => found('/a1');
    const handle = await running(researchScript()).startResearch(researchInput({ search: { read_pages: 0 } }));
    await handle.result();
    const events = await handle.query<RunEvent[]>('events');
    expect(events.filter(({ type }) => type === 'page')).toEqual([]);
  });
});
