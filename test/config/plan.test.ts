import { describe, expect, test } from 'vitest';
import { checkPlan } from '../../src/config/kinds.ts';
import { completePlan, describePlan } from '../../src/config/plan.ts';

const completed = (executor: object) => {
  const checked = checkPlan({ plan: { backend: { type: 'offline' }, executor } });
  if (!checked.ok) throw new Error(checked.problems.map(({ message }) => message).join('\n'));
  return completePlan(checked.value, {});
};

describe('the limits of those who carry out a plan', () => {
  test.each([
    ['simple_tool', { max_thoughts: 3 }, 'simple_tool, up to 3 model calls a turn'],
    ['react', { max_iterations: 4 }, 'react, up to 4 cycles a turn'],
  ])('%s', (orchestrator, limit, described) => {
    const settings = completed({ orchestrator, ...limit });
    expect(settings.orchestrator).toMatchObject({ kind: orchestrator, ...limit });
    expect(describePlan(settings)).toContain(`Subtasks: ${described}`);
  });

  test('one that is none of the loop is refused', () => {
    expect(() => completed({ max_iterations: 4 })).toThrow('is a limit of the loop react');
  });
});
