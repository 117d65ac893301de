import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import { entriesOf } from '../../src/workflows/log-lines.ts';
import type { ResearchState } from '../../src/protocol/research.ts';
import { criticism, plan, report, researchScript } from '../support/research-script.ts';
import { sharedRunning } from '../support/running.ts';
import { startSearchServer, type SearchAnswer, type SearchServer } from '../support/search-server.ts';

/** What the search service finds in the present test. */
let find: (query: string) => SearchAnswer;
let service: SearchServer;
beforeAll(async () => {
  service = await startSearchServer(({ query }) => find(query));
});
beforeEach(() => {
  find = () => ({ results: [{ title: 'Something', url: 'https://something.example', content: 'It is known.' }] });
});
afterAll(() => service.close());

const running = sharedRunning(() => ({ SEARXNG_URL: service.url }));

const wires = [{ type: 'openai' }, { type: 'claude' }] as const;

const linesOf = (events: RunEvent[]): string[] => events.flatMap((event) => entriesOf(event).map(({ text }) => text));

const implementations = (count: number): SearchAnswer => ({
  results: Array.from({ length: count }, (_, index) => ({
    title: `Momentum trading strategy ${index + 1}`,
    url: `https://momentum.example/${index + 1}`,
    content: 'A momentum trading strategy that buys what has risen.',
  })),
});

describe.each(wires)("the document's usage examples through $type", (backend) => {
  test('Prior Art Restart: 5 similar implementations restart, whatever the score; fewer do not', async () => {
    const ideas = ['momentum trading strategy', 'momentum trading with alternative data sentiment'];
    find = () => implementations(5);
    const run = running(
      researchScript({
        plan: ({ iteration }) => plan(ideas[iteration - 1] ?? ''),
        criticise: ({ idea }) =>
          idea === ideas[0]
            ? criticism(90, { similar: ['1.1', '1.2', '[1.3]', '1.4', '1.5'] })
            : criticism(72, { similar: ['1.1', '1.3'] }),
      }),
    );
    const handle = await run.startResearch({
      idea: 'momentum trading strategy',
      config: { research: { backend, search: { provider: 'searxng' } } },
    });
    const result = (await handle.result()) as object;
    const [asks, once] = [run.model.requests.map(({ tools }) => tools[0]), ['submit_plan', 'submit_criticism']];
    expect(asks).toEqual([...once, ...once, 'submit_report']);
    expect(run.model.requests[2]?.prompt).toContain('Focus on novel approaches, unique data sources');
    expect(result).toMatchObject({
      outcome: 'viable',
      iterations: [
        { iteration: 1, idea: ideas[0], score: null, verdict: null, restartKind: 'prior_art', similar: 5 },
        { iteration: 2, idea: ideas[1], score: 72, verdict: 'Good concept', restartReason: null, similar: 2 },
      ],
    });
    const lines = linesOf(await handle.query<RunEvent[]>('events'));
    const route = lines.filter((line) => /^(Iteration|→)/.test(line));
    expect(route).toEqual([
      'Iteration 1: "momentum trading strategy"',
      '→ Finds 5 similar implementations',
      '→ Restart with guidance: "Focus on novel approaches, unique data sources"',
      'Iteration 2: "momentum trading with alternative data sentiment"',
      '→ Fewer similar implementations found',
      '→ Proceed to criticism',
      '→ Criticism score: 72/100 (good concept)',
      '→ Proceed to synthesis',
    ]);
  });

  test('Viability Restart: 15, 45, 72', async () => {
    const ideas = [
      'predict stock prices with astrology',
      'technical analysis with astronomical cycle correlation',
      'sector rotation based on economic cycles',
    ];
    const scores = [15, 45, 72];
    const run = running(
      researchScript({
        plan: ({ iteration }) => plan(ideas[iteration - 1] ?? ''),
        criticise: ({ idea }) => ({ text: `Not much.\n\n**VIABILITY SCORE:** ${scores[ideas.indexOf(idea)]}/100` }),
      }),
    );
    const handle = await run.startResearch({
      idea: 'predict stock prices with astrology',
      config: { research: { backend } },
    });
    const result = (await handle.result()) as object;
    expect(run.model.requests).toHaveLength(7);
    expect(result).toMatchObject({
      outcome: 'viable',
      iterations: [
        { idea: ideas[0], score: 15, verdict: 'Major flaws', restartKind: 'viability' },
        { idea: ideas[1], score: 45, verdict: 'Significant concerns', restartKind: 'viability' },
        { idea: ideas[2], score: 72, verdict: 'Good concept', restartKind: null },
      ],
      report: { title: `On ${ideas[2]}` },
    });
    const route = linesOf(await handle.query<RunEvent[]>('events')).filter((line) => /^(Iteration|→)/.test(line));
    expect(route.filter((line) => !line.includes('similar'))).toEqual([
      `Iteration 1: "${ideas[0]}"`,
      '→ Proceed to criticism',
      '→ Criticism score: 15/100 (major flaws)',
      '→ Restart with guidance: "Focus on risk mitigation, feasible approaches"',
      `Iteration 2: "${ideas[1]}"`,
      '→ Proceed to criticism',
      '→ Criticism score: 45/100 (significant concerns)',
      '→ Restart with more guidance: "Focus on risk mitigation, feasible approaches"',
      `Iteration 3: "${ideas[2]}"`,
      '→ Proceed to criticism',
      '→ Criticism score: 72/100 (good concept)',
      '→ Proceed to synthesis',
    ]);
  });
});

const openai = { backend: { type: 'openai' } };

describe('planning anew', () => {
  test('the planner is told criticism, score, reason, guidance and what was tried', async () => {
    const run = running(researchScript({ criticise: ({ idea }) => criticism(idea === 'idea 1' ? 31 : 80) }));
    await run.research({ idea: 'An idea.', config: { research: openai } });
    const { prompt = '' } = run.model.requests.filter(({ tools }) => tools.includes('submit_plan'))[1] ?? {};
    expect(prompt).toContain('## Planning iteration 2 of 3');
    expect(prompt).toContain('Its viability score is 31/100, below 51');
    expect(prompt).toContain('It deserves 31.');
    expect(prompt).toContain('Focus on risk mitigation, feasible approaches');
    expect(prompt).toContain('- idea 1: 31/100 (Significant concerns)');
  });

  test('the four fields of the state: set until the planner has used them', async () => {
    const seen: ResearchState[] = [];
    let look: () => Promise<ResearchState> = () => Promise.reject(new Error('not started'));
    const run = running(
      researchScript({
        plan: async ({ iteration }) => {
          seen.push(await look());
          return plan(`idea ${iteration}`);
        },
        criticise: async ({ idea }) => {
          seen.push(await look());
          return criticism(idea === 'idea 1' ? 20 : 80);
        },
      }),
    );
    const gate = Promise.withResolvers<void>();
    look = async () => {
      await gate.promise;
      return handle.query<ResearchState>('state');
    };
    const handle = await run.startResearch({ idea: 'An idea.', config: { research: openai } });
    gate.resolve();
    await handle.result();
    const fields = seen.map(({ criticism_score, planning_iteration, restart_reason, should_restart_planning }) => [
      planning_iteration,
      criticism_score,
      should_restart_planning,
      restart_reason,
    ]);
    expect(fields).toEqual([
      [1, null, false, null],
      [1, null, false, null],
      [2, 20, true, 'Its viability score is 20/100, below 51'],
      [2, 20, false, null],
    ]);
  });

  test('the idea must change: one that was tried is sent back, twice at the most', async () => {
    const run = running(researchScript({ plan: () => plan('The same idea'), criticise: () => criticism(20) }));
    const { iterations, outcome } = await run.research({
      idea: 'An idea.',
      config: { research: { ...openai, max_planning_iterations: 2 } },
    });
    const plans = run.model.requests.filter(({ tools }) => tools.includes('submit_plan'));
    expect(plans).toHaveLength(1 + 3);
    expect(plans.at(-1)?.prompt).toContain('"The same idea" was tried already: the idea itself must change.');
    expect({ count: iterations.length, outcome }).toEqual({ count: 2, outcome: 'iteration_limit' });
  });

  test('a planner that writes free text is understood', async () => {
    const run = running(
      researchScript({
        plan: ({ iteration }) => ({ text: iteration === 1 ? '1. Read.\n2. Test.' : '**Idea:** Another one\n\nRead.' }),
        criticise: ({ idea }) => criticism(idea === 'Another one' ? 80 : 20),
      }),
    );
    const { iterations } = await run.research({ idea: 'An idea', config: { research: openai } });
    expect(iterations.map(({ idea }) => idea)).toEqual(['An idea', 'Another one']);
  });
});

describe('the limit of iterations', () => {
  test('the best-scoring iteration goes on to synthesis, marked iteration_limit', async () => {
    const scores: Record<string, number> = { 'idea 1': 30, 'idea 2': 45, 'idea 3': 40 };
    const run = running(researchScript({ criticise: ({ idea }) => criticism(scores[idea] ?? 0) }));
    const result = await run.research({ idea: 'An idea.', config: { research: openai } });
    expect(result).toMatchObject({ outcome: 'iteration_limit', report: { title: 'On idea 2' } });
    expect(result.iterations.map(({ score }) => score)).toEqual([30, 45, 40]);
    expect(run.model.requests).toHaveLength(7);
  });

  test('prior art in the last iteration is noted, and criticism runs', async () => {
    find = () => implementations(5);
    const run = running(
      researchScript({ criticise: () => criticism(72, { similar: ['1.1', '1.2', '1.3', '1.4', '1.5'] }) }),
    );
    const { iterations, outcome } = await run.research({
      idea: 'momentum trading strategy',
      config: { research: { ...openai, max_planning_iterations: 2, search: { provider: 'searxng' } } },
    });
    expect(iterations).toMatchObject([
      { score: null, restartKind: 'prior_art' },
      { score: 72, restartKind: null, similar: 5 },
    ]);
    expect(outcome).toBe('viable');
  });
});

describe('thresholds and weights', () => {
  const scored = {
    calls: [{ name: 'submit_criticism', arguments: { criticism: 'So so.', scores: { proof: 90, cost: 30 } } }],
  };
  const config = (more: object) => ({
    research: { ...openai, max_planning_iterations: 1, weights: { proof: 1, cost: 1 }, ...more },
  });

  test('scores in JSON that is written as text count; a criticism there that is no text is the whole of it', async () => {
    const text = '{"criticism": {"short": "So so."}, "scores": {"proof": 90, "cost": 30}}';
    const run = running(researchScript({ criticise: () => ({ text }) }));
    const handle = await run.startResearch({ idea: 'An idea.', config: config({}) });
    expect(await handle.result()).toMatchObject({ iterations: [{ score: 60 }] });
    expect(await handle.query('events')).toContainEqual(
      expect.objectContaining({ type: 'criticism', score: 60, text }),
    );
  });

  test('a domain has its own minimum and weights', async () => {
    const run = running(researchScript({ criticise: () => scored }));
    const domains = { trading: { min_viability_score: 80, weights: { proof: 3, cost: 1 } } };
    const result = await run.research({ idea: 'An idea.', config: config({ domain: 'trading', domains }) });
    expect(result).toMatchObject({ outcome: 'iteration_limit', iterations: [{ score: 75 }] });
  });
});

describe('a score that is missing', () => {
  const silent = (policy?: string) => ({
    idea: 'An idea.',
    config: { research: { ...openai, ...(policy !== undefined && { on_missing_score: policy }) } },
  });
  const evasive = researchScript({ criticise: () => ({ text: 'Hard to say.' }) });

  test('is asked for once more', async () => {
    const run = running(
      researchScript({
        criticise: ({ prompt }) => ({ text: prompt.includes('has no score') ? 'VIABILITY SCORE: 64/100' : 'Hm.' }),
      }),
    );
    const { iterations } = await run.research(silent());
    expect(iterations).toMatchObject([{ score: 64, verdict: 'Moderate concerns' }]);
    expect(run.model.requests).toHaveLength(4);
  });

  test('proceed, the default: it goes on with a warning', async () => {
    const run = running(evasive);
    const handle = await run.startResearch(silent());
    expect(await handle.result()).toMatchObject({
      outcome: 'degraded',
      warnings: ['The criticism has no score', expect.stringContaining('on_missing_score is proceed')],
      iterations: [{ score: null, verdict: 'no score', similar: null }],
    });
    expect(linesOf(await handle.query('events'))).toContainEqual(
      expect.stringContaining('on_missing_score is proceed'),
    );
  });

  test('restart: the plan is drawn anew, up to the limit', async () => {
    const run = running(evasive);
    const { iterations, outcome } = await run.research(silent('restart'));
    expect(iterations.map(({ restartKind }) => restartKind)).toEqual(['no_score', 'no_score', null]);
    expect(iterations[0]?.restartReason).toBe('The criticism has no score (on_missing_score: restart)');
    expect(outcome).toBe('iteration_limit');
  });

  test('fail: the run fails', async () => {
    const run = running(evasive);
    await expect(run.research(silent('fail'))).rejects.toMatchObject({ cause: { type: 'NoScore' } });
  });
});

describe('the report', () => {
  const found = (): SearchAnswer => ({
    results: [
      { title: 'One', url: 'https://one.example', content: 'First.' },
      { title: 'Two', url: 'https://two.example', content: 'Second.' },
    ],
  });
  const config = { research: { ...openai, search: { provider: 'searxng' } } };

  test('is repaired at most twice, then taken as it is without marks of no source', async () => {
    find = found;
    const run = running(researchScript({ synthesise: () => report('T', 'Odd [7.7].') }));
    const result = await run.research({ idea: 'An idea.', config });
    const writing = run.model.requests.filter(({ tools }) => tools.includes('submit_report'));
    expect(writing).toHaveLength(3);
    expect(writing.at(-1)?.prompt).toContain('there is no source [7.7]; the marks are: [1.1] [1.2]');
    expect(result.report.summary).toBe('Odd.');
    expect(result.report.sources).toEqual([]);
    expect(result.outcome).toBe('degraded');
  });

  test('as free text it is a report all the same', async () => {
    const run = running(researchScript({ synthesise: () => ({ text: '# Title\n\nIn short.\n\n## Part\n\nMore.' }) }));
    const result = await run.research({ idea: 'An idea.', config: { research: openai } });
    expect(result.report).toMatchObject({
      title: 'Title',
      summary: 'In short.',
      sections: [{ heading: 'Part', text: 'More.' }],
    });
  });
});
