import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resultsOf, sumUp } from '../../src/client/aggregate.ts';
import { orchestrationResult, researchResult, solveResult } from '../support/results.ts';

/** Runs of each type. Others look like these as far as the types are told apart. */
const ours = [
  { type: 'orchestration', result: orchestrationResult({ attempts: 2 }) },
  { type: 'research', result: researchResult([[40, 'goal'], [70]]) },
  { type: 'planAndExecute', result: solveResult({}) },
];

const anything = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined));

const theirs = fc
  .record({ own: fc.constantFrom(...ours), changed: fc.dictionary(fc.nat({ max: 20 }).map(String), anything) })
  .map(({ own: { type, result }, changed }) => {
    const keys = Object.keys(result);
    const others = Object.entries(changed).map(([index, value]) => [keys[Number(index) % keys.length], value]);
    return { type, result: { ...result, ...Object.fromEntries(others) } as unknown };
  });

test.each(ours)('a run of ours counts: $type', ({ type, result }) => {
  const { orchestration, planAndExecute, research } = sumUp(resultsOf(type, result));
  expect(orchestration.runs + planAndExecute.runs + research.runs).toBe(1);
});

test("somebody else's run under our names is refused, or its figures are numbers", () => {
  fc.assert(
    fc.property(theirs, ({ type, result }) => {
      let figures: object = {};
      try {
        figures = sumUp(resultsOf(type, result));
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
      expect(JSON.stringify(figures)).not.toMatch(/:null/);
    }),
    { numRuns: 1000 },
  );
});
