import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resources, simulate, type Plant } from '../../scripts/scaling/simulate.ts';

const ample: Plant = {
  shapes: [{ share: 1, phases: [3, 1] }],
  runsPerSecond: 2,
  callMs: 1000,
  callSigma: 0.5,
  workers: 100,
  slots: 1000,
  workerMs: 0.001,
  temporalCalls: 1e6,
  storeCommits: 1e6,
  providerCalls: 1e6,
};

test('where nothing is scarce, runs take as long as their calls', () => {
  const { slowdown, started, ended, calls } = simulate(ample, 300, 1);
  expect(slowdown.p95).toBeLessThan(1.01);
  expect(ended).toBe(started);
  expect(calls).toBe(4 * started);
});

test('every run ends, a seed gives the same again, and nothing is in use more than wholly', () => {
  const plants = fc.record({
    runsPerSecond: fc.double({ min: 0.1, max: 20, noNaN: true }),
    callMs: fc.integer({ min: 1, max: 5000 }),
    callSigma: fc.double({ min: 0, max: 1, noNaN: true }),
    workers: fc.integer({ min: 1, max: 5 }),
    slots: fc.integer({ min: 1, max: 50 }),
    workerMs: fc.integer({ min: 1, max: 50 }),
    temporalCalls: fc.integer({ min: 1, max: 200 }),
    storeCommits: fc.integer({ min: 1, max: 200 }),
    providerCalls: fc.integer({ min: 1, max: 200 }),
  });
  fc.assert(
    fc.property(plants, fc.nat(), (plant, seed) => {
      const outcome = simulate({ ...ample, ...plant }, 20, seed);
      expect(outcome.ended).toBe(outcome.started);
      expect(outcome).toEqual(simulate({ ...ample, ...plant }, 20, seed));
      for (const name of resources) expect(outcome.use[name]).toBeLessThanOrEqual(1.000001);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['temporal', { temporalCalls: 4 }],
  ['slots', { workers: 1, slots: 4 }],
  ['provider', { providerCalls: 4 }],
  ['worker', { workers: 1, workerMs: 250 }],
  ['store', { storeCommits: 4 }],
] as const)('the one that is scarce is what calls wait for: %s', (name, scarce) => {
  const { slowdown, use, waited } = simulate({ ...ample, ...scarce }, 300, 1);
  expect(use[name]).toBeGreaterThan(0.95);
  expect(Math.max(...Object.values(waited))).toBe(waited[name]);
  expect(slowdown.median).toBeGreaterThan(2);
});

test("what is in use is what the calls' rate and time come to (Little's law)", () => {
  const plant = {
    ...ample,
    shapes: [{ share: 1, phases: [1] }],
    callSigma: 0,
    workers: 1,
    slots: 10,
    runsPerSecond: 5,
  };
  const { calls, use } = simulate(plant, 1000, 7);
  expect(use.slots).toBeCloseTo(calls / 1000 / 10, 1);
});
