import { describe, expect, test } from 'vitest';
import { sumUp, type Gain, type Results } from '../../src/client/aggregate.ts';
import { orchestrationResult, researchResult, solveResult } from '../support/results.ts';

const none: Results = { orchestrations: [], researchRuns: [], plans: [], unread: 0 };
const nothing = { calls: 0, tokens: 0, costUsd: 0 };
const noGain: Gain = { measured: 0, rose: 0, fell: 0, mean: 0 };

const orchestrations = (...results: Results['orchestrations']) =>
  sumUp({ ...none, orchestrations: results }).orchestration;
const researchRuns = (...results: Results['researchRuns']) => sumUp({ ...none, researchRuns: results }).research;

test('without runs all figures are 0', () => {
  const counts = {
    runs: 0,
    restarted: 0,
    share: 0,
    restarts: 0,
    outcomes: {},
    cost: { total: nothing, perRestart: nothing },
  };
  const noRestarts = { restarts: 0, gain: noGain };
  expect(sumUp(none)).toEqual({
    orchestration: { ...counts, meanRun: { without: nothing, restarted: nothing } },
    research: {
      ...counts,
      gain: noGain,
      byKind: {
        viability: noRestarts,
        prior_art: noRestarts,
        goal: noRestarts,
        no_score: noRestarts,
        no_material: noRestarts,
        person: noRestarts,
      },
    },
    planAndExecute: {
      runs: 0,
      retried: 0,
      share: 0,
      retries: 0,
      outcomes: {},
      executions: { done: 0, again: 0, whole: 0, savedShare: 0 },
      saved: nothing,
    },
    unread: 0,
  });
});

test('runs of both types are summed up apart, and those that could not be read are counted', () => {
  const stats = sumUp({
    orchestrations: [orchestrationResult(), orchestrationResult({ attempts: 2 })],
    researchRuns: [researchResult([[70]])],
    plans: [],
    unread: 3,
  });
  expect(stats).toMatchObject({
    orchestration: { runs: 2, restarted: 1 },
    research: { runs: 1, restarted: 0 },
    unread: 3,
  });
});

describe('orchestrations', () => {
  test('restarts are counted, and how the runs that restarted ended', () => {
    expect(
      orchestrations(
        orchestrationResult(),
        orchestrationResult({ attempts: 2 }),
        orchestrationResult({ attempts: 3 }),
        orchestrationResult({ attempts: 3, outcome: 'restart_limit' }),
      ),
    ).toMatchObject({ runs: 4, restarted: 3, share: 0.75, restarts: 5, outcomes: { submitted: 2, restart_limit: 1 } });
  });

  test('the attempts of a run are taken to cost the same', () => {
    const { cost } = orchestrations(
      orchestrationResult({ attempts: 1, calls: 7 }),
      orchestrationResult({ attempts: 2, calls: 16 }),
      orchestrationResult({ attempts: 3, calls: 30 }),
    );
    expect(cost.total).toEqual({ calls: 28, tokens: 2800, costUsd: 7 });
    expect(cost.perRestart.calls).toBeCloseTo(28 / 3);
  });

  test('runs without and with restarts have means of their own', () => {
    const { meanRun } = orchestrations(
      orchestrationResult({ calls: 6 }),
      orchestrationResult({ calls: 10 }),
      orchestrationResult({ attempts: 2, calls: 20 }),
    );
    expect(meanRun).toEqual({
      without: { calls: 8, tokens: 800, costUsd: 2 },
      restarted: { calls: 20, tokens: 2000, costUsd: 5 },
    });
  });
});

describe('research', () => {
  const gains: Array<[rule: string, steps: Parameters<typeof researchResult>[0], gain: Gain]> = [
    ['no restart gains nothing', [[70]], noGain],
    ['a score that rose', [[40, 'viability'], [61]], { measured: 1, rose: 1, fell: 0, mean: 21 }],
    ['a score that fell', [[40, 'viability'], [35]], { measured: 1, rose: 0, fell: 1, mean: -5 }],
    ['a score that stayed neither rose nor fell', [[40, 'viability'], [40]], { ...noGain, measured: 1 }],
    [
      'each restart is measured by the score that comes after it',
      [[30, 'viability'], [50, 'person'], [45]],
      { measured: 2, rose: 1, fell: 1, mean: 7.5 },
    ],
    [
      'an iteration without a score is passed over to the next that has one',
      [[40, 'viability'], [null, 'prior_art'], [64]],
      { measured: 1, rose: 1, fell: 0, mean: 24 },
    ],
    ['a restart before any score is not measured', [[null, 'prior_art'], [64]], noGain],
    ['a restart with no score after it is not measured', [[40, 'viability'], [null]], noGain],
    ['a score of 0 is a score', [[0, 'viability'], [10]], { measured: 1, rose: 1, fell: 0, mean: 10 }],
  ];
  test.for(gains)('%s', ([, steps, gain]) => {
    expect(researchRuns(researchResult(steps)).gain).toEqual(gain);
  });

  test('restarts are counted by their kind, each with its gain', () => {
    const stats = researchRuns(
      researchResult([[40, 'viability'], [null, 'prior_art'], [60]]),
      researchResult([[30, 'viability'], [40, 'person'], [38]], 'iteration_limit'),
      researchResult([[80]]),
    );
    expect(stats).toMatchObject({
      runs: 3,
      restarted: 2,
      restarts: 4,
      outcomes: { viable: 1, iteration_limit: 1 },
      gain: { measured: 3, rose: 2, fell: 1 },
      byKind: {
        viability: { restarts: 2, gain: { measured: 2, rose: 2, fell: 0, mean: 15 } },
        prior_art: { restarts: 1, gain: noGain },
        goal: { restarts: 0, gain: noGain },
        no_score: { restarts: 0, gain: noGain },
        no_material: { restarts: 0, gain: noGain },
        person: { restarts: 1, gain: { measured: 1, rose: 0, fell: 1, mean: -2 } },
      },
    });
  });

  test('restarts cost what the iterations after the first have taken', () => {
    const { cost } = researchRuns(researchResult([[80]]), researchResult([[40, 'viability'], [50, 'viability'], [60]]));
    expect(cost).toEqual({
      total: { calls: 8, tokens: 800, costUsd: 2 },
      perRestart: { calls: 4, tokens: 400, costUsd: 1 },
    });
  });
});

describe('plans', () => {
  const plans = (...results: Results['plans']) => sumUp({ ...none, plans: results }).planAndExecute;

  test('10 subtasks, of which 3 fail once and 1 of them twice: 14 executions in place of 30, 53% fewer', () => {
    const ended = [1, 1, 1, 1, 1, 1, 1, 2, 2, 3].map((round) => ({ executions: round, completedIn: round }));
    expect(plans(solveResult({ retries: 2, subtasks: ended }))).toEqual({
      runs: 1,
      retried: 1,
      share: 1,
      retries: 2,
      outcomes: { complete: 1 },
      executions: { done: 14, again: 4, whole: 30, savedShare: 16 / 30 },
      // Each execution takes 2 calls.
      saved: { calls: 32, tokens: 3200, costUsd: 8 },
    });
  });

  test('what could not run since another subtask had failed is not counted as saved: 4 in a row, the second fails once', () => {
    const ended = [
      { executions: 1, completedIn: 1 },
      { executions: 2, completedIn: 2 },
      { executions: 1, completedIn: 2 },
      { executions: 1, completedIn: 2 },
    ];
    const { executions, saved } = plans(solveResult({ retries: 1, subtasks: ended }));
    expect(executions).toEqual({ done: 5, again: 1, whole: 6, savedShare: 1 / 6 });
    expect(saved.calls).toBe(2);
  });

  test('subtasks that were added for what was missing save nothing in the rounds before them', () => {
    const ended = [
      { executions: 1, completedIn: 1 },
      { executions: 1, completedIn: 2 },
    ];
    expect(plans(solveResult({ retries: 1, subtasks: ended })).executions).toMatchObject({ done: 2, whole: 3 });
  });

  test('a subtask that has failed for good saves nothing, and the outcomes of retried plans are counted', () => {
    const subtasks = [{ executions: 1, completedIn: 1 }, { executions: 2 }];
    const stats = plans(solveResult({ outcome: 'partial', retries: 1, subtasks }), solveResult({}));
    expect(stats).toMatchObject({
      runs: 2,
      retried: 1,
      share: 0.5,
      outcomes: { partial: 1 },
      executions: { done: 3, again: 1, whole: 4 },
    });
  });
});
