import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import { criticism, plan, report, researchScript } from '../support/research-script.ts';
import { asked, hits, promptsFor, researchInput, resultOf, searchingRuns } from '../support/searching.ts';

const { running, search } = searchingRuns();

describe('where nothing is found, nothing is made up', () => {
  test('the planner tries once more, and may keep its idea; then the run ends without critic and writer', async () => {
    search.find = () => ({ results: [] });
    const run = running(researchScript({ plan: ({ iteration }) => plan('One idea', [`query ${iteration}`]) }));
    const handle = await run.startResearch(researchInput());
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
    search.find = (query) => (query === 'query 2' ? hits('One') : { results: [] });
    const run = running(researchScript({ plan: ({ iteration }) => plan('One idea', [`query ${iteration}`]) }));
    expect(await run.research(researchInput())).toMatchObject({
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
    const told = readFileSync(join(run.home, 'logs', 'log.txt'), 'utf8');
    expect(told).toContain('nothing found, apart from a report of an earlier run');
    expect(told).not.toContain('1 found');
  });

  test('no search that works: the planner is not asked again', async () => {
    search.find = () => ({ status: 404 });
    const run = running(researchScript({ plan: () => plan('One idea', ['a', 'b']) }));
    const { gaps, outcome, report: written } = await run.research(researchInput());
    expect({ asked: asked(run), outcome }).toEqual({ asked: ['plan'], outcome: 'no_material' });
    expect(gaps).toHaveLength(2);
    expect(written.summary).toBe('No search has worked, so this report has no findings.');
    expect(written.sections[0]).toMatchObject({ heading: 'What could not be searched' });
  });

  test('after an iteration with material, that one is reported on', async () => {
    search.find = (query) => (query === 'idea 1' ? hits('One') : { status: 404 });
    const run = running(researchScript({ criticise: () => criticism(40) }));
    expect(await run.research(researchInput())).toMatchObject({
      outcome: 'iteration_limit',
      warnings: ['No search has worked'],
      iterations: [{ score: 40 }, { score: null, restartKind: null }],
      report: { title: 'On idea 1' },
    });
  });

  test('a person who has accepted before gets no report of nothing either', async () => {
    search.find = () => ({ results: [] });
    const run = running(researchScript());
    const handle = await run.client.workflow.signalWithStart('research', {
      taskQueue: run.taskQueue,
      workflowId: `${run.taskQueue}-accepted-nothing`,
      args: [researchInput({ approval: true })],
      signal: 'decide',
      signalArgs: [{ action: 'accept' }],
    });
    expect(await resultOf(handle)).toMatchObject({ outcome: 'no_material', iterations: [{ restartKind: null }] });
    expect(asked(run)).toEqual(['plan']);
  });
});

describe('where it searches', () => {
  const noticesOf = async (handle: WorkflowHandle): Promise<string[]> => {
    const events = await handle.query<RunEvent[]>('events');
    return events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  };

  test('a service whose variable is set is used without being named, and that is told', async () => {
    const handle = await running(researchScript()).startResearch(researchInput());
    expect(await resultOf(handle)).toMatchObject({ outcome: 'viable', warnings: [] });
    expect(search.queries()).toHaveLength(1);
    expect(await noticesOf(handle)).toEqual([
      'Searches with searxng, since SEARXNG_URL is set and search.provider is not',
    ]);
  });

  test("only Reprise's own documentation, for the offline model: the run says so before and in its result", async () => {
    const offline = { backend: { type: 'offline' }, search: { provider: 'folder' } };
    const handle = await running(researchScript()).startResearch(researchInput(offline));
    expect(await resultOf(handle)).toMatchObject({
      warnings: expect.arrayContaining([expect.stringMatching(/^Only Reprise's own documentation was searched/)]),
    });
    expect(await noticesOf(handle)).toEqual([expect.stringMatching(/^ONLY REPRISE'S OWN DOCUMENTATION IS SEARCHED/)]);
  });

  test('nothing, for a real model: the run says so and ends before the model is asked', async () => {
    const run = running(researchScript());
    const handle = await run.startResearch(researchInput({ search: { provider: 'folder' } }));
    await expect(resultOf(handle)).rejects.toMatchObject({
      cause: { type: 'InvalidInput', message: expect.stringMatching(/there is nothing to search: .* docker run /) },
    });
    expect(run.model.requests).toEqual([]);
  });
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
  const handle = await run.startResearch(researchInput());
  await reached.promise;
  await handle.signal('decide', { action: 'accept' });
  const { iterations, outcome, report: written } = await resultOf(handle);
  expect(iterations).toMatchObject([{ iteration: 1, idea: 'idea 1', score: 20, restartReason: null }]);
  expect({ outcome, title: written.title }).toEqual({ outcome: 'viable', title: 'On idea 1' });
});

test('a report that cites nothing has no sources', async () => {
  const run = running(researchScript({ synthesise: () => report('T', 'So it is.') }));
  expect(await run.research(researchInput())).toMatchObject({
    outcome: 'degraded',
    report: { sources: [] },
    warnings: [expect.stringContaining('the report cites no source')],
  });
});

test('a report that its model’s limit has cut off is named in the result', async () => {
  const text = '# T\n\nSo it is [1.1], and';
  const run = running(researchScript({ synthesise: () => ({ text, finish: 'length' }) }));
  expect(await run.research(researchInput())).toMatchObject({
    outcome: 'degraded',
    report: { title: 'T' },
    warnings: ["The report was cut off at its model's limit of tokens"],
  });
});
