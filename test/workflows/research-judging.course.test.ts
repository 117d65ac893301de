import { describe, expect, test } from 'vitest';
import { ownDocs } from '../../src/config/search-services.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { criticism, plan, report, researchScript } from '../support/research-script.ts';
import { asked, hits, promptsFor, researchInput, resultOf, searchingRuns } from '../support/searching.ts';

const { running, search } = searchingRuns();

describe('prior art is what the critic names', () => {
  test('works without a word in common with the idea count, in the call that judges the plan', async () => {
    const similar = ['1.1', '1.2', '1.3'];
    const run = running(
      researchScript({
        criticise: ({ idea }) => criticism(90, idea === 'idea 1' ? { similar } : { similar: ['1.1'] }),
      }),
    );
    const { iterations, outcome } = await run.research(researchInput({ max_similar_implementations: 2 }));
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
    search.find = () => hits('idea 1', 'idea 1 again', 'the idea 1');
    const run = running(researchScript());
    expect(await run.research(researchInput({ max_similar_implementations: 0 }))).toMatchObject({
      outcome: 'viable',
      iterations: [{ similar: 0, restartKind: null }],
    });
  });

  test('marks of no hit are sent back, and then do not count', async () => {
    const run = running(researchScript({ criticise: () => criticism(90, { similar: ['1.1', '7.7'] }) }));
    const { iterations } = await run.research(researchInput());
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
      research: { backend: { type: 'openai' }, search: { folder: ownDocs }, max_similar_implementations: 0 },
    };
    await run.research({ idea, config });
    const { iterations } = await run.research({ idea, config });
    expect(iterations).toMatchObject([{ similar: 0, restartKind: null }]);
    const judged = promptsFor(run, 'submit_criticism').at(-1);
    expect(judged).toMatch(/\(report:\w+\)/);
    expect(judged).toContain(`## Earlier research\n\nIdea: ${idea}`);
  });
});

describe('weights that the configuration sets', () => {
  const weights = { proof: 3, cost: 1 };
  const scored = (text: string) => researchScript({ criticise: () => ({ text }) });

  test('one number for everything does not count, and is asked for by aspect; then the policy decides', async () => {
    const run = running(scored('Fine. VIABILITY SCORE: 95/100'));
    const handle = await run.startResearch(
      researchInput({ weights, on_missing_score: 'restart', max_planning_iterations: 1 }),
    );
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
    expect(await run.research(researchInput({ weights, max_planning_iterations: 1 }))).toMatchObject({
      iterations: [{ score: 50, verdict: 'Significant concerns' }],
    });
  });

  test('without any, the seed’s score stands, and numbers for its aspects are weighted too', async () => {
    expect(await running(scored('VIABILITY SCORE: 95/100')).research(researchInput())).toMatchObject({
      outcome: 'viable',
      iterations: [{ score: 95 }],
    });
    const aspects = ['feasibility', 'novelty', 'data', 'risk', 'testability']
      .map((name) => `${name}: 60/100`)
      .join('\n');
    expect(await running(scored(`${aspects}\nVIABILITY SCORE: 95/100`)).research(researchInput())).toMatchObject({
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
    const handle = await run.startResearch(researchInput());
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
    expect(await run.research(researchInput())).toMatchObject({
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
    expect(await run.research(researchInput({ max_planning_iterations: 2 }))).toMatchObject({
      outcome: 'iteration_limit',
      report: { title: 'On Tomatoes' },
    });
  });

  test('where none is on the subject, the report on it says so', async () => {
    const run = running(researchScript({ criticise: () => criticism(80, { serves_goal: false }) }));
    expect(await run.research(researchInput({ max_planning_iterations: 1 }))).toMatchObject({
      outcome: 'iteration_limit',
      warnings: ['The plan of the report is not about what the user asked for'],
    });
  });
});

test('the critic has the rubric with its bands and today’s date', async () => {
  const run = running(researchScript());
  await run.research(researchInput());
  const [critic = ''] = promptsFor(run, 'submit_criticism');
  for (const band of ['0-30: Major flaws', '31-50: Significant', '51-70: Moderate', '71-85: Good', '86-100: Excellent'])
    expect(critic).toContain(band);
  expect(critic).toContain(`Today is ${new Date().toISOString().slice(0, 10)}.`);
});
