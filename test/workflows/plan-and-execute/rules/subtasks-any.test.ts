import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlannedSubtask, Validation } from '../../../../src/protocol/plan-and-execute.ts';
import { planProblems } from '../../../../src/workflows/plan-and-execute/rules/subtask-graph.ts';
import { Subtasks } from '../../../../src/workflows/plan-and-execute/rules/subtasks.ts';
import { afterValidation, type AfterValidation } from '../../../../src/workflows/plan-and-execute/rules/validation.ts';
import { planned, plans } from '../../../support/plans.ts';

const validations = fc.option(
  fc.record<Validation>({
    isComplete: fc.boolean(),
    missingRequirements: fc.array(fc.constantFrom('labels', 'axes'), { maxLength: 2 }),
    quality: fc.constant('medium'),
    warnings: fc.constant([]),
  }),
);

/** An execution fails if its chance, from 0 to 9, is below `failing`. */
const chances = fc.nat(9);

/** Checks what must hold between any two events. */
function check(subtasks: Subtasks, completed: Map<string, number>): void {
  const statusOf = (id: string): string | undefined => subtasks.get(id)?.status;
  const report = subtasks.report();
  expect(new Set(report.map(({ id }) => id)).size).toBe(report.length);
  for (const { id, status, dependsOn, executions } of report) {
    if (status === 'completed') {
      expect(completed.get(id) ?? executions).toBe(executions);
      completed.set(id, executions);
    }
    if (status === 'completed' || status === 'running')
      expect(dependsOn.map(statusOf).filter((each) => each !== 'completed')).toEqual([]);
    if (status === 'pending') expect(dependsOn.map(statusOf)).not.toContain('failed');
  }
  for (const id of completed.keys()) expect(statusOf(id)).toBe('completed');
}

test('whatever fails and whatever a validator says, a plan comes to its end by the rules', () => {
  const limits = fc.record({ maxParallel: fc.integer({ min: 1, max: 4 }), maxRetries: fc.nat(4), failing: chances });
  fc.assert(
    fc.property(plans, limits, fc.gen(), (plan, { maxParallel, maxRetries, failing }, any) => {
      const subtasks = new Subtasks();
      const completed = new Map<string, number>();
      const deadEnds = new Set<string>();
      let retries = 0;

      const execute = (retried: string[]): void => {
        const running: string[] = [];
        for (;;) {
          for (const id of subtasks.next(running.length, maxParallel)) {
            subtasks.start(id);
            running.push(id);
          }
          expect(running.length).toBeLessThanOrEqual(maxParallel);
          check(subtasks, completed);
          // If none runs, all must have ended: a subtask that still waits would wait for ever.
          if (running.length === 0) break;
          const [id = ''] = running.splice(any(fc.nat, running.length - 1), 1);
          if (any(() => chances) < failing) {
            subtasks.fail(id, 'broken');
            if (retried.includes(id)) deadEnds.add(id);
          } else subtasks.complete(id, 'done', 1);
          check(subtasks, completed);
        }
        for (const { status } of subtasks.report()) expect(['completed', 'failed']).toContain(status);
        expect(new Set(subtasks.deadEnds.map(({ id }) => id))).toEqual(deadEnds);
      };

      const moreSubtasks = (count: number): PlannedSubtask[] => {
        const ids = subtasks.report().map(({ id }) => id);
        const usable = [...completed.keys()];
        const replaceable = subtasks.neededFailures.map(({ id }) => id);
        const known = { ids, usable, replaceable, attachments: [], most: 1000, bytes: 100_000 };
        const added = Array.from({ length: count }, (_, index) => ({
          ...planned(`more_${ids.length + index}`, ...any(() => fc.subarray(usable))),
          ...(replaceable.length > 0 && { replaces: any(() => fc.subarray(replaceable)) }),
        }));
        expect(planProblems(added, known)).toEqual([]);
        expect(planProblems([planned(ids[0]!)], known)).toHaveLength(1);
        return added;
      };

      const decide = (): AfterValidation =>
        afterValidation(
          any(() => validations),
          { any: subtasks.neededFailures.length > 0, onRetry: subtasks.neededDeadEnds.length > 0 },
        );

      subtasks.add(plan);
      execute([]);
      let step = decide();
      for (; step.kind !== 'done' && retries < maxRetries; step = decide()) {
        retries += 1;
        if (step.kind === 'retry_failed') {
          const retried = subtasks.beginRound();
          expect(retried).not.toEqual([]);
          execute(retried);
        } else if (step.kind === 'plan_around') {
          const deadEnds = subtasks.neededDeadEnds.map(({ id }) => id);
          subtasks.addAround(moreSubtasks(any(fc.nat, 2)));
          const retried = subtasks.beginRound();
          const next = subtasks.report().filter(({ status }) => status === 'pending');
          for (const id of deadEnds) {
            const isReplaced = subtasks.get(id)?.replacedBy !== undefined;
            expect(retried.includes(id)).toBe(!isReplaced);
            if (isReplaced) for (const { dependsOn } of next) expect(dependsOn).not.toContain(id);
          }
          execute(retried);
        } else {
          expect(subtasks.neededFailures).toEqual([]);
          expect(step.missing).not.toEqual([]);
          subtasks.add(moreSubtasks(step.missing.length));
          execute([]);
        }
      }

      const report = subtasks.report();
      for (const { executions } of report) expect(executions).toBeLessThanOrEqual(1 + retries);
      expect(subtasks.executions).toBe(report.reduce((sum, { executions }) => sum + executions, 0));
      if (step.kind !== 'done') expect(retries).toBe(maxRetries);
      else if (step.outcome !== 'partial') expect(subtasks.neededFailures).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
