import fc from 'fast-check';
import type { PlannedSubtask } from '../../src/protocol/plan-and-execute.ts';

export const planned = (id: string, ...dependsOn: string[]): PlannedSubtask => ({
  id,
  description: `Do ${id}`,
  dependsOn,
});

/** Plans without cycles, whose subtasks come in any order. */
export const plans: fc.Arbitrary<PlannedSubtask[]> = fc
  .array(fc.array(fc.nat(20), { maxLength: 3 }), { minLength: 1, maxLength: 9 })
  .map((choices) =>
    choices.map((some, index) => {
      const earlier = index === 0 ? [] : some.map((choice) => `step_${(choice % index) + 1}`);
      return planned(`step_${index + 1}`, ...new Set(earlier));
    }),
  )
  .chain((plan) => fc.shuffledSubarray(plan, { minLength: plan.length }));
