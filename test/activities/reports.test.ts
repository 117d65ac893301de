import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPersistReport, createRecallReports, lessonOf } from '../../src/activities/reports.ts';
import type { PersistInput } from '../../src/protocol/research.ts';
import { activityBench } from '../support/activity-bench.ts';
import { iterationOf, reportOf } from '../support/reports.ts';

describe('persistReport', () => {
  const bench = activityBench();
  const persistReport = createPersistReport(bench);
  afterAll(() => bench.close());
  const { id: _id, workflowId: _workflow, createdAt: _created, ...input } = reportOf();

  test('keeps a report with its run and its time, under an id of 16 digits', async () => {
    const { reportId } = await bench.run(persistReport, input, 'run-1');
    expect(reportId).toMatch(/^[\da-f]{16}$/);
    expect(await bench.store.report(reportId)).toEqual({
      ...input,
      id: reportId,
      workflowId: 'w',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  test('a retry writes nothing twice, and another run has a report of its own', async () => {
    const first = await bench.run(persistReport, input, 'run-2');
    const kept = await bench.store.report(first.reportId);
    const other: PersistInput = { ...input, outcome: 'stopped' };
    expect(await bench.run(persistReport, other, 'run-2')).toEqual(first);
    expect(await bench.store.report(first.reportId)).toEqual(kept);
    expect(await bench.run(persistReport, other, 'run-3')).not.toEqual(first);
  });
});

describe('recallReports', () => {
  const bench = activityBench();
  const recallReports = createRecallReports(bench);
  afterAll(() => bench.close());

  const ideas: Array<[id: string, idea: string, iteration?: string]> = [
    ['older', 'Momentum trading strategy'],
    ['newer', 'A strategy of trading momentum'],
    ['near', 'Momentum trading with futures on metals'],
    ['as-near', 'Momentum trading with options on grain'],
    ['changed', 'Which shares rise after a rebound', 'Momentum trading strategy after a rebound'],
    ['one-word', 'Momentum of planets'],
    ['far', 'Baking bread'],
  ];
  beforeAll(async () => {
    for (const [day, [id, idea, iteration = idea]] of ideas.entries()) {
      const iterations = [iterationOf({ idea: iteration })];
      const createdAt = `2030-01-0${day + 1}T00:00:00.000Z`;
      const similar = [{ title: `${id}’s`, url: `https://${id}.example` }];
      await bench.store.putReport(reportOf({ id, idea, iterations, createdAt, similar }));
    }
  });

  test('the nearest come first, the newest of equals; of tries of one idea there is one; far ones are left out', async () => {
    const recalled = await bench.run(recallReports, { idea: 'momentum trading strategy' });
    expect(recalled.map(({ url, similarity }) => [url, similarity])).toEqual([
      ['report:newer', 1],
      ['report:as-near', 0.57],
      ['report:near', 0.57],
    ]);
  });

  test('each comes with its title and its lesson, and without works, which are prior art of its own idea alone', async () => {
    const [newer] = await bench.run(recallReports, { idea: 'momentum trading strategy' });
    expect(newer).toEqual({
      title: 'Momentum',
      url: 'report:newer',
      similarity: 1,
      lesson: expect.stringContaining('Idea: A strategy of trading momentum'),
    });
  });

  test('by an idea of its iterations too', async () => {
    const [changed] = await bench.run(recallReports, { idea: 'momentum shares after a rebound' });
    expect(changed).toMatchObject({ url: 'report:changed', similarity: 0.67 });
  });

  test('an idea that nothing is near recalls nothing', async () => {
    expect(await bench.run(recallReports, { idea: 'quantum chromodynamics' })).toEqual([]);
  });

  test('at most eight are recalled', async () => {
    for (const place of 'abcdefghij') {
      const idea = `Town gardens ${place}${place} ${place}${place}${place}`;
      await bench.store.putReport(reportOf({ id: `town-${place}`, idea, iterations: [iterationOf({ idea })] }));
    }
    expect(await bench.run(recallReports, { idea: 'town gardens' })).toHaveLength(8);
  });
});

describe('a lesson', () => {
  test('tells what was tried, how it was judged, why it began anew, and which restart helped', () => {
    const iterations = [
      iterationOf({
        idea: 'Momentum',
        score: 40,
        verdict: 'weak',
        restartReason: 'too risky',
        restartKind: 'viability',
      }),
      iterationOf({
        iteration: 2,
        idea: 'Momentum with stops',
        score: 65.5,
        verdict: 'good',
        restartReason: 'seen before',
        restartKind: 'prior_art',
      }),
      iterationOf({ iteration: 3, idea: 'Momentum of patents', score: null, verdict: 'no score' }),
      iterationOf({ iteration: 4, idea: 'Momentum of papers', score: null, verdict: null }),
    ];
    const lesson = lessonOf(reportOf({ idea: 'Momentum\ntrading', outcome: 'iteration_limit', iterations }));
    expect(lesson.split('\n')).toEqual([
      'Idea: Momentum trading',
      'Outcome: iteration_limit',
      'Helped: the restart after iteration 1 (viability) raised the score by 25.5, from 40 to 65.5',
      'Iteration 1: Momentum (score 40, weak); restarted: too risky',
      'Iteration 2: Momentum with stops (score 65.5, good); restarted: seen before',
      'Iteration 3: Momentum of patents (no score)',
      'Iteration 4: Momentum of papers (not scored)',
    ]);
  });

  test('has at most 1,000 characters, however much was tried', () => {
    const iterations = Array.from({ length: 100 }, (_, index) =>
      iterationOf({ iteration: index + 1, idea: 'long '.repeat(200), restartReason: 'long '.repeat(200) }),
    );
    const lesson = lessonOf(reportOf({ idea: 'long '.repeat(1000), iterations }));
    expect(lesson.length).toBeLessThanOrEqual(1000);
    expect(lesson).toContain('Iteration 2: ');
  });
});
