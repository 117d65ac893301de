import type { Client } from '@temporalio/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { statsOf } from '../../src/client/stats.ts';
import { orchestrationResult, researchResult, solveResult } from '../support/results.ts';

/** Runs of each type: ours, and others whose results look like ours as far as the types are told apart. */
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

function clientOf(runs: Array<{ type: string; result: unknown }>): Client {
  const client = {
    workflow: {
      async *list() {
        yield* runs.map(({ type }, index) => ({ workflowId: String(index), runId: '', type }));
      },
      getHandle: (id: string) => ({ result: async () => runs[Number(id)]?.result }),
    },
    withDeadline: (_: number, ask: () => Promise<unknown>) => ask(),
  };
  return client as unknown as Client;
}

test("somebody else's runs under our names are counted as unread, and the figures stay numbers", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(theirs, { maxLength: 6 }), async (strangers) => {
      const stats = await statsOf(clientOf([...ours, ...strangers]), {});
      const { orchestration, research, planAndExecute, unread } = stats;
      expect(JSON.stringify(stats)).not.toMatch(/:null/);
      expect(orchestration.runs + research.runs + planAndExecute.runs + unread).toBe(ours.length + strangers.length);
      expect(Math.min(orchestration.runs, research.runs, planAndExecute.runs)).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});
