import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createReadPage } from '../../src/activities/pages.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { noOrchestrators } from '../../src/config/extensions.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { ResearchResult } from '../../src/protocol/research.ts';
import { openStore } from '../../src/store/open-store.ts';
import { openParts } from '../../src/worker/parts.ts';
import { criticism, plan, report, researchScript, type Asked } from '../support/research-script.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { startSearchServer, type SearchAnswer, type SearchServer } from '../support/search-server.ts';

/** What the search service finds in the present test. */
let find: (query: string) => SearchAnswer;
let service: SearchServer;
beforeAll(async () => {
  service = await startSearchServer(({ query }) => find(query));
});
beforeEach(() => {
  find = () => hits('One', 'Two', 'Three');
  service.searches.length = 0;
});
afterAll(() => service.close());

const running = sharedRunning(() => ({ SEARXNG_URL: service.url }));

/** Pages that are named so cannot be read anywhere. */
const hits = (...titles: string[]): SearchAnswer => ({
  results: titles.map((title) => ({
    title,
    url: `https://${title.toLowerCase().replaceAll(' ', '-')}.example`,
    content: `${title}.`,
  })),
});
const nothing: SearchAnswer = { results: [] };

const input = (more: object = {}, rest: object = {}) => ({
  idea: 'Tomaten auf dem Balkon',
  config: { research: { backend: { type: 'openai' }, ...more }, ...rest },
});

const resultOf = async (handle: WorkflowHandle): Promise<ResearchResult> => (await handle.result()) as ResearchResult;

const promptsFor = (run: SharedRunning, tool: string): string[] =>
  run.model.requests.filter(({ tools }) => tools.includes(tool)).map(({ prompt }) => prompt);

const asked = (run: SharedRunning): Asked[] =>
  run.model.requests.map(({ tools: [tool] }) =>
    tool === 'submit_plan' ? 'plan' : tool === 'submit_criticism' ? 'criticise' : 'synthesise',
  );

describe('prior art is what the critic names', () => {
  test('works without a word in common with the idea count, in the call that judges the plan', async () => {
    const similar = ['1.1', '1.2', '1.3'];
    const run = running(
      researchScript({
        criticise: ({ idea }) => criticism(90, idea === 'idea 1' ? { similar } : { similar: ['1.1'] }),
      }),
    );
    const { iterations, outcome } = await run.research(input({ max_similar_implementations: 2 }));
    expect(iterations).toMatchObject([
      { similar: 3, restartKind: 'prior_art', score: null, verdict: null },
      { similar: 1, restartKind: null, score: 90 },
    ]);
    expect(iterations[0]?.restartReason).toBe('3 similar implementations were found: One; Two; Three');
    expect({ asked: asked(run), outcome }).toEqual({
      asked: ['plan', 'criticise', 'plan', 'criticise', 'synthesise'],
      outcome: 'viable',
    });
  });

  test('works with all words of the idea do not count where the critic names none', async () => {
    find = () => hits('idea 1', 'idea 1 again', 'the idea 1');
    const run = running(researchScript());
    expect(await run.research(input({ max_similar_implementations: 0 }))).toMatchObject({
      outcome: 'viable',
      iterations: [{ similar: 0, restartKind: null }],
    });
  });

  test('marks of no hit are sent back, and then do not count', async () => {
    const run = running(researchScript({ criticise: () => criticism(90, { similar: ['1.1', '7.7'] }) }));
    const { iterations } = await run.research(input());
    expect(iterations).toMatchObject([{ similar: 1, score: 90 }]);
    const { 1: repaired = '', length } = promptsFor(run, 'submit_criticism');
    expect(repaired).toContain('similar: there is no hit [7.7]; the marks are: [1.1] [1.2] [1.3]');
    expect(length).toBe(3);
  });

  test('reports of earlier runs are lessons, whatever the critic says', async () => {
    const idea = 'Keeping momentum in orchestration restarts';
    const script = researchScript({
      plan: ({ iteration }) => plan(iteration === 1 ? idea : `${idea} ${iteration}`),
      criticise: ({ prompt }) => {
        const marks = [...prompt.matchAll(/^\[([\d.]+)\] .* \(report:/gm)].map(([, mark]) => mark);
        return criticism(80, { similar: marks, improve: marks.join() });
      },
      synthesise: () => report(idea, `${idea} [1.1].`),
    });
    const run = running(script);
    const config = {
      research: { backend: { type: 'openai' }, search: { provider: 'folder' }, max_similar_implementations: 0 },
    };
    await run.research({ idea, config });
    const { iterations } = await run.research({ idea, config });
    expect(iterations).toMatchObject([{ similar: 0, restartKind: null }]);
    const judged = promptsFor(run, 'submit_criticism').at(-1);
    expect(judged).toMatch(/\(report:\w+\)/);
    expect(judged).toContain(`## Earlier research\n\nIdea: ${idea}`);
  });
});

describe('where nothing is found, nothing is made up', () => {
  test('the planner tries once more, and may keep its idea; then the run ends without critic and writer', async () => {
    find = () => nothing;
    const run = running(researchScript({ plan: ({ iteration }) => plan('One idea', [`query ${iteration}`]) }));
    const handle = await run.startResearch(input());
    const result = await resultOf(handle);
    expect(asked(run)).toEqual(['plan', 'plan']);
    expect(result).toMatchObject({
      outcome: 'no_material',
      warnings: ['The searches have found nothing'],
      iterations: [
        { idea: 'One idea', restartKind: 'no_material' },
        { idea: 'One idea', restartKind: null },
      ],
      report: {
        title: 'Tomaten auf dem Balkon',
        summary: 'Nothing was found for this idea, so this report has no findings.',
        sources: [],
      },
    });
    expect(result.report.sections[0]).toEqual({
      heading: 'What was searched',
      text: '- "query 1" (iteration 1): nothing was found\n- "query 2" (iteration 2): nothing was found',
    });
    expect(promptsFor(run, 'submit_plan')[1]).toContain('Focus on what can be found');
    const events = await handle.query<RunEvent[]>('events');
    expect(events.at(-1)).toMatchObject({ type: 'final', outcome: 'no_material' });
  });

  test('other queries that find something lead on', async () => {
    find = (query) => (query === 'query 2' ? hits('One') : nothing);
    const run = running(researchScript({ plan: ({ iteration }) => plan('One idea', [`query ${iteration}`]) }));
    expect(await run.research(input())).toMatchObject({
      outcome: 'viable',
      iterations: [{ restartKind: 'no_material' }, { score: 72 }],
      report: { sources: [{ title: 'One' }] },
    });
  });

  test('the report of an earlier run on the same idea is nothing either', async () => {
    const idea = 'Zyzzyva quokka';
    const run = running(researchScript({ plan: () => plan(idea) }));
    const config = { research: { backend: { type: 'openai' }, search: { folder: import.meta.dirname } } };
    expect(await run.research({ idea, config })).toMatchObject({ outcome: 'no_material' });
    const { outcome, report: written } = await run.research({ idea, config });
    expect(outcome).toBe('no_material');
    expect(written.sections[0]?.text).toContain('nothing was found, apart from reports of earlier runs');
  });

  test('no search that works: the planner is not asked again', async () => {
    find = () => ({ status: 404 });
    const run = running(researchScript({ plan: () => plan('One idea', ['a', 'b']) }));
    const { gaps, outcome, report: written } = await run.research(input());
    expect({ asked: asked(run), outcome }).toEqual({ asked: ['plan'], outcome: 'no_material' });
    expect(gaps).toHaveLength(2);
    expect(written.summary).toBe('No search has worked, so this report has no findings.');
    expect(written.sections[0]).toMatchObject({ heading: 'What could not be searched' });
  });

  test('after an iteration with material, that one is reported on', async () => {
    find = (query) => (query === 'idea 1' ? hits('One') : { status: 404 });
    const run = running(researchScript({ criticise: () => criticism(40) }));
    expect(await run.research(input())).toMatchObject({
      outcome: 'iteration_limit',
      warnings: ['No search has worked'],
      iterations: [{ score: 40 }, { score: null, restartKind: null }],
      report: { title: 'On idea 1' },
    });
  });

  test('a person who has accepted before gets no report of nothing either', async () => {
    find = () => nothing;
    const run = running(researchScript());
    const handle = await run.client.workflow.signalWithStart('research', {
      taskQueue: run.taskQueue,
      workflowId: `${run.taskQueue}-accepted-nothing`,
      args: [input({ approval: true })],
      signal: 'decide',
      signalArgs: [{ action: 'accept' }],
    });
    expect(await resultOf(handle)).toMatchObject({ outcome: 'no_material', iterations: [{ restartKind: null }] });
    expect(asked(run)).toEqual(['plan']);
  });
});

describe('weights that the configuration sets', () => {
  const weights = { proof: 3, cost: 1 };
  const scored = (text: string) => researchScript({ criticise: () => ({ text }) });

  test('one number for everything does not count, and is asked for by aspect; then the policy decides', async () => {
    const run = running(scored('Fine. VIABILITY SCORE: 95/100'));
    const handle = await run.startResearch(input({ weights, on_missing_score: 'restart', max_planning_iterations: 1 }));
    const { iterations, outcome } = await resultOf(handle);
    expect({ outcome, score: iterations[0]?.score }).toEqual({ outcome: 'iteration_limit', score: null });
    const [first = '', second = ''] = promptsFor(run, 'submit_criticism');
    expect(first).toContain('End with a line for each aspect: `proof: n/100`, `cost: n/100`');
    expect(second).toContain('Your criticism has no score for every aspect');
    expect(asked(run)).toEqual(['plan', 'criticise', 'criticise', 'synthesise']);
  });

  test('a number for each aspect is weighted, whatever number stands for everything', async () => {
    const text = 'Well.\n- **Proof**: 40/100\n- **Cost**: 80/100\n\nVIABILITY SCORE: 95/100';
    const run = running(scored(text));
    expect(await run.research(input({ weights, max_planning_iterations: 1 }))).toMatchObject({
      iterations: [{ score: 50, verdict: 'Significant concerns' }],
    });
  });

  test('without any, the seed’s score stands, and numbers for its aspects are weighted too', async () => {
    expect(await running(scored('VIABILITY SCORE: 95/100')).research(input())).toMatchObject({
      outcome: 'viable',
      iterations: [{ score: 95 }],
    });
    const aspects = ['feasibility', 'novelty', 'data', 'risk', 'testability']
      .map((name) => `${name}: 60/100`)
      .join('\n');
    expect(await running(scored(`${aspects}\nVIABILITY SCORE: 95/100`)).research(input())).toMatchObject({
      iterations: [{ score: 60 }],
    });
  });
});

describe('the next plan', () => {
  test('has instructions of its own, the material, and what the user asked for', async () => {
    const improve = ['Name the soil.', 'Name the light.'];
    let times = 0;
    const run = running(
      researchScript({
        criticise: () => criticism(times < 2 ? 20 : 80, { improve: improve[times++], queries: ['soil'] }),
      }),
    );
    const handle = await run.startResearch(input());
    await handle.result();
    const [, second = '', third = ''] = promptsFor(run, 'submit_plan');
    expect(second).toContain('Focus on risk mitigation, feasible approaches. Name the soil.');
    expect(third).toContain('Focus on risk mitigation, feasible approaches. Name the light.');
    expect(second).toContain('## Material\n\nFound for "idea 1":\n- [1.1] One: One.');
    expect(second).toContain('## What the user asked for\n\nTomaten auf dem Balkon');
    expect(second).toContain('The critic would search for: soil.');
    const events = await handle.query<RunEvent[]>('events');
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'planning_restart',
        guidance: 'Focus on risk mitigation, feasible approaches. Name the light.',
        more: true,
      }),
    );
  });

  test('that has left what the user asked for goes back, whatever its score', async () => {
    const run = running(
      researchScript({
        plan: ({ iteration }) => plan(iteration === 1 ? 'Mars' : 'Tomatoes'),
        criticise: ({ idea }) => criticism(80, { serves_goal: idea !== 'Mars' }),
      }),
    );
    expect(await run.research(input())).toMatchObject({
      outcome: 'viable',
      warnings: [],
      iterations: [
        { score: 80, restartKind: 'goal' },
        { idea: 'Tomatoes', score: 80, restartKind: null },
      ],
    });
    expect(promptsFor(run, 'submit_criticism')[0]).toContain('## What the user asked for\n\nTomaten auf dem Balkon');
  });

  test('that has left it in the last iteration gives way to a lower score on the subject', async () => {
    const run = running(
      researchScript({
        plan: ({ iteration }) => plan(iteration === 1 ? 'Tomatoes' : 'Mars'),
        criticise: ({ idea }) => criticism(idea === 'Mars' ? 80 : 40, { serves_goal: idea !== 'Mars' }),
      }),
    );
    expect(await run.research(input({ max_planning_iterations: 2 }))).toMatchObject({
      outcome: 'iteration_limit',
      report: { title: 'On Tomatoes' },
    });
  });

  test('where none is on the subject, the report on it says so', async () => {
    const run = running(researchScript({ criticise: () => criticism(80, { serves_goal: false }) }));
    expect(await run.research(input({ max_planning_iterations: 1 }))).toMatchObject({
      outcome: 'iteration_limit',
      warnings: ['The plan of the report is not about what the user asked for'],
    });
  });
});

describe('what the critic still searches for', () => {
  test('is searched once before the report, which cites it by further marks', async () => {
    find = (query) => (query === 'soil' ? hits('Soil') : hits('One'));
    const run = running(
      researchScript({
        criticise: () => criticism(80, { queries: ['soil', 'light', 'too many'] }),
        synthesise: () => report('T', 'So it is [2.1].'),
      }),
    );
    const { report: written } = await run.research(input());
    expect(service.searches.map(({ query }) => query)).toEqual(['idea 1', 'soil', 'light']);
    expect(written.sources).toEqual([{ title: 'Soil', url: 'https://soil.example' }]);
    const [writer = ''] = promptsFor(run, 'submit_report');
    expect(writer).toContain('[2.1] Soil (https://soil.example)');
  });

  test('is not searched for a plan that goes back', async () => {
    const run = running(
      researchScript({
        criticise: ({ idea }) => criticism(idea === 'idea 1' ? 20 : 80, { queries: idea === 'idea 1' ? ['soil'] : [] }),
      }),
    );
    await run.research(input());
    expect(service.searches.map(({ query }) => query)).toEqual(['idea 1', 'idea 2']);
  });

  test('and does not work is a gap of the report', async () => {
    find = (query) => (query === 'soil' ? { status: 404 } : hits('One'));
    const run = running(researchScript({ criticise: () => criticism(80, { queries: ['soil'] }) }));
    const { gaps, outcome } = await run.research(input());
    expect(outcome).toBe('viable');
    expect(gaps).toEqual([expect.stringMatching(/^Not searched \(iteration 1\): "soil": /)]);
  });
});

describe('where it searches', () => {
  const noticesOf = async (handle: WorkflowHandle): Promise<string[]> => {
    const events = await handle.query<RunEvent[]>('events');
    return events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  };

  test('a service whose variable is set is used without being named, and that is told', async () => {
    const handle = await running(researchScript()).startResearch(input());
    expect(await resultOf(handle)).toMatchObject({ outcome: 'viable', warnings: [] });
    expect(service.searches).toHaveLength(1);
    expect(await noticesOf(handle)).toEqual([
      'Searches with searxng, since SEARXNG_URL is set and search.provider is not',
    ]);
  });

  test("only Reprise's own documentation: the run says so before and in its result, which is not viable", async () => {
    const handle = await running(researchScript()).startResearch(input({ search: { provider: 'folder' } }));
    expect(await resultOf(handle)).toMatchObject({
      outcome: 'degraded',
      warnings: [expect.stringMatching(/^Only Reprise's own documentation was searched/)],
    });
    expect(await noticesOf(handle)).toEqual([expect.stringMatching(/^ONLY REPRISE'S OWN DOCUMENTATION IS SEARCHED/)]);
  });
});

test('the critic has the rubric with its bands and today’s date', async () => {
  const run = running(researchScript());
  await run.research(input());
  const [critic = ''] = promptsFor(run, 'submit_criticism');
  for (const band of ['0-30: Major flaws', '31-50: Significant', '51-70: Moderate', '71-85: Good', '86-100: Excellent'])
    expect(critic).toContain(band);
  expect(critic).toContain(`Today is ${new Date().toISOString().slice(0, 10)}.`);
});

test('an acceptance while a plan is drawn anew adds no iteration', async () => {
  const reached = Promise.withResolvers<void>();
  const never = Promise.withResolvers<never>();
  const run = running(
    researchScript({
      plan: ({ iteration }) => {
        if (iteration === 1) return plan('idea 1');
        reached.resolve();
        return never.promise;
      },
      criticise: () => criticism(20),
    }),
  );
  const handle = await run.startResearch(input());
  await reached.promise;
  await handle.signal('decide', { action: 'accept' });
  const { iterations, outcome, report: written } = await resultOf(handle);
  expect(iterations).toMatchObject([{ iteration: 1, idea: 'idea 1', score: 20, restartReason: null }]);
  expect({ outcome, title: written.title }).toEqual({ outcome: 'viable', title: 'On idea 1' });
});

test('a report that cites nothing has no sources', async () => {
  const run = running(researchScript({ synthesise: () => report('T', 'So it is.') }));
  expect(await run.research(input())).toMatchObject({
    outcome: 'degraded',
    report: { sources: [] },
    warnings: [expect.stringContaining('the report cites no source')],
  });
});

test('a report that its model’s limit has cut off is named in the result', async () => {
  const text = '# T\n\nSo it is [1.1], and';
  const run = running(researchScript({ synthesise: () => ({ text, finish: 'length' }) }));
  expect(await run.research(input())).toMatchObject({
    outcome: 'degraded',
    report: { title: 'T' },
    warnings: ["The report was cut off at its model's limit of tokens"],
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
    find = (query) => (query === 'b' ? found('/b1', '/long') : found('/a1', '/a2', '/b1'));
    const run = running(
      researchScript({
        plan: ({ iteration }) => plan(`idea ${iteration}`, ['a', 'b']),
        criticise: ({ idea }) => criticism(idea === 'idea 1' ? 20 : 80),
      }),
    );
    const { address, bundle } = inject('temporal');
    const connection = await NativeConnection.connect({ address });
    const variables = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: run.model.openai, SEARXNG_URL: service.url };
    const parts = openParts({ home: run.home, configFolder: run.home, variables }, noOrchestrators);
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
        args: [input({ search: { provider: 'searxng', read_pages: 3 } })],
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
    find = () => found('/a1');
    const run = running(researchScript());
    const handle = await run.startResearch(input());
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
    find = () => found('/a1');
    const handle = await running(researchScript()).startResearch(input({ search: { read_pages: 0 } }));
    await handle.result();
    const events = await handle.query<RunEvent[]>('events');
    expect(events.filter(({ type }) => type === 'page')).toEqual([]);
  });
});
