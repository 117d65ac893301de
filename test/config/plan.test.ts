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

describe('the tools of those who carry out a plan', () => {
  const server = { name: 'files', command: 'mcp-files' };
  const packagesOf = (executor: object): string[] => completed(executor).tools.packages;

  test('are those of the web where a configuration names none', () => {
    expect(packagesOf({})).toEqual(['builtin.web']);
    expect(describePlan(completed({}))).toContain('Tools: builtin.web (loaded by the worker).');
  });

  test.each([
    ['none at all', { tool_packages: [] }, []],
    ['others', { tool_packages: ['tools.weather'] }, ['tools.weather']],
    ['a server', { mcp_servers: [server] }, []],
    ['a server of its backend', { backend: { type: 'openai', mcp_servers: [server] } }, []],
  ])('are not where it names %s', (_, executor, packages) => {
    expect(packagesOf(executor)).toEqual(packages);
  });
});
