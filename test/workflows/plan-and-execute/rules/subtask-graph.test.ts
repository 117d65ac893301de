import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlannedSubtask } from '../../../../src/protocol/plan-and-execute.ts';
import { planProblems, readySubtasks } from '../../../../src/workflows/plan-and-execute/rules/subtask-graph.ts';
import { planned, plans } from '../../../support/plans.ts';

const known = {
  ids: ['old_1'],
  usable: ['old_1'],
  replaceable: [],
  attachments: ['sales.csv', 'a map.png'],
  most: 5,
  bytes: 100_000,
};

describe('a plan', () => {
  test.each<[string, PlannedSubtask[]]>([
    ['of one subtask', [planned('step_1')]],
    ['whose subtasks come before their dependencies', [planned('step_2', 'step_1', 'old_1'), planned('step_1')]],
    ['with known attachments', [{ ...planned('step-1'), attachments: ['sales.csv', 'a map.png'] }]],
    ['of as many as there may be', ['a', 'b', 'c', 'd'].map((id) => planned(id))],
    ['that names a dependency twice', [planned('a'), planned('b', 'a', 'a')]],
    ['with names that every object has', [planned('constructor'), planned('__proto__', 'constructor')]],
  ])('%s is good', (_, plan) => {
    expect(planProblems(plan, known)).toEqual([]);
  });

  test.each<[string, PlannedSubtask[], string[]]>([
    ['that is empty', [], ['the plan has no subtasks; it needs at least one']],
    [
      'too large beside earlier ones',
      ['a', 'b', 'c', 'd', 'e'].map((id) => planned(id)),
      ['the plan has 5 subtasks, but only 4 may be added: there may be 5 in all, of which earlier plans have 1'],
    ],
    [
      'with an id twice',
      [planned('step_1'), planned('step_1'), planned('step_1')],
      ['the id step_1 is given more than once'],
    ],
    [
      'with an id of an earlier plan',
      [planned('old_1')],
      ['the id old_1 is that of an earlier subtask; give a new one'],
    ],
    [
      'with ids of another form',
      [planned(''), planned('step 1'), planned('a\nb'), planned('é')],
      ['""', '"step 1"', '"a\\nb"', '"é"'].map((id) => `the id ${id} is not 1 to 64 letters, digits, _ or -`),
    ],
    [
      'with a long id',
      [planned('x'.repeat(9999))],
      [`the id ${'x'.repeat(80)} is not 1 to 64 letters, digits, _ or -`],
    ],
    ['without a description', [{ ...planned('step_1'), description: ' \n' }], ['step_1 has no description']],
    [
      'with unknown dependencies',
      [planned('step_1', 'step_9', 'step 2'), planned('step_2', 'old_2')],
      [
        'unknown dependencies: step_9 (of step_1), "step 2" (of step_1), old_2 (of step_2); ' +
          'the ids are: old_1, step_1, step_2',
      ],
    ],
    ['with a subtask for itself', [planned('step_1', 'step_1')], ['step_1 depends on itself']],
    [
      'with a cycle, named from its first subtask',
      [planned('step_4', 'step_3'), planned('step_1', 'step_3'), planned('step_3', 'step_1')],
      ['a cycle, where each depends on the next: step_1 → step_3 → step_1'],
    ],
    [
      'with two cycles',
      [planned('a', 'b'), planned('b', 'a'), planned('c', 'd', 'a'), planned('d', 'c')],
      ['a cycle, where each depends on the next: a → b → a', 'a cycle, where each depends on the next: c → d → c'],
    ],
    [
      'with unknown attachments',
      [{ ...planned('step_1'), attachments: ['sales.csv', 'other.pdf'] }],
      ['unknown attachments: other.pdf (of step_1); there are: sales.csv, "a map.png"'],
    ],
    [
      'with several mistakes is told all of them',
      [{ id: '!', description: '', dependsOn: ['!', 'x'], attachments: ['y'] }],
      [
        'the id "!" is not 1 to 64 letters, digits, _ or -',
        '"!" has no description',
        'unknown dependencies: x (of "!"); the ids are: old_1, "!"',
        '"!" depends on itself',
        'unknown attachments: y (of "!"); there are: sales.csv, "a map.png"',
      ],
    ],
  ])('%s is sent back', (_, plan, problems) => {
    expect(planProblems(plan, known)).toEqual(problems);
  });

  test('around failed ones depends on none of them, and may take the place of any, or be empty', () => {
    const around = { ...known, ids: ['old_1', 'old_2', 'old_3'], replaceable: ['old_2', 'old_3'] };
    expect(planProblems([{ ...planned('a', 'old_1'), replaces: ['old_2', 'old_3'] }], around)).toEqual([]);
    expect(planProblems([], around)).toEqual([]);
    expect(planProblems([{ ...planned('a'), replaces: ['old_1'] }], known)).toEqual([]);
    expect(planProblems([planned('a', 'old_2')], around)).toEqual([
      'dependencies that have failed: old_2 (of a); nothing can depend on them',
    ]);
    expect(planProblems([{ ...planned('a'), replaces: ['old_1', 'x'] }], around)).toEqual([
      'only failed subtasks can be replaced, not: old_1 (of a), x (of a); these are: old_2, old_3',
    ]);
  });

  test('may be no larger than what is left for it, in bytes', () => {
    const plan = [{ ...planned('a'), description: '长'.repeat(40) }];
    expect(planProblems(plan, { ...known, bytes: 200 })).toEqual([]);
    expect(planProblems(plan, { ...known, bytes: 100 })).toEqual([
      'the plan has 164 bytes, but only 100 may be added; be brief',
    ]);
  });

  test('is told where there are no attachments', () => {
    const plan = [{ ...planned('a'), attachments: ['x'] }];
    expect(planProblems(plan, { ...known, attachments: [] })[0]).toMatch(/there are: none$/);
  });
});

describe('any plan', () => {
  const nothing = { ids: [], usable: [], replaceable: [], attachments: [], most: 50, bytes: 100_000 };

  test('without cycles is good, and can be gone through to its end', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(planProblems(plan, nothing)).toEqual([]);
        const done = new Set<string>();
        for (let rounds = 0; rounds < plan.length; rounds++)
          for (const { id } of readySubtasks(plan, done)) done.add(id);
        expect(done.size).toBe(plan.length);
      }),
    );
  });

  /** Each turns a good plan into a bad one, or gives undefined if the plan has no place for the mistake. */
  const mistakes: Record<string, (plan: PlannedSubtask[], at: number) => PlannedSubtask[] | undefined> = {
    'given more than once': (plan, at) => [...plan, plan[at]!],
    'depends on itself': (plan, at) => plan.with(at, planned(plan[at]!.id, plan[at]!.id)),
    'unknown dependencies: new': (plan, at) => plan.with(at, planned(plan[at]!.id, ...plan[at]!.dependsOn, 'new')),
    'has no description': (plan, at) => plan.with(at, { ...plan[at]!, description: '' }),
    'unknown attachments: x': (plan, at) => plan.with(at, { ...plan[at]!, attachments: ['x'] }),
    'a cycle': (plan, at) => {
      const { id, dependsOn } = plan[at]!;
      const other = plan.findIndex((each) => each.id === dependsOn[0]);
      if (other === -1) return undefined;
      return plan.with(other, planned(plan[other]!.id, ...plan[other]!.dependsOn, id));
    },
  };

  test.each(Object.keys(mistakes))('with one mistake is told of it, and of nothing else: %s', (mistake) => {
    fc.assert(
      fc.property(plans, fc.nat(), (plan, choice) => {
        const bad = mistakes[mistake]!(plan, choice % plan.length);
        fc.pre(bad !== undefined);
        const problems = planProblems(bad, nothing);
        expect(problems).not.toEqual([]);
        for (const problem of problems) expect(problem).toContain(mistake);
      }),
    );
  });

  test('whatever its dependencies: the cycles named are cycles, and none is named where there is none', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const graphs = fc
      .tuple(...ids.map(() => fc.subarray(ids)))
      .map((choices) => ids.map((id, index) => planned(id, ...(choices[index] ?? []))));
    fc.assert(
      fc.property(graphs, (plan) => {
        const dependsOn = (id: string): string[] => plan.find((each) => each.id === id)?.dependsOn ?? [];
        const cycles = planProblems(plan, nothing)
          .filter((problem) => problem.startsWith('a cycle'))
          .map((problem) => problem.split(': ')[1]!.split(' → '));
        for (const cycle of cycles) {
          expect(cycle.length).toBeGreaterThan(2);
          expect(cycle.at(-1)).toBe(cycle[0]);
          expect(new Set(cycle).size).toBe(cycle.length - 1);
          for (const [index, id] of cycle.slice(1).entries()) expect(dependsOn(cycle[index]!)).toContain(id);
        }
        const done = new Set<string>();
        const others = plan.map((each) => planned(each.id, ...each.dependsOn.filter((other) => other !== each.id)));
        for (const _ of ids) for (const { id } of readySubtasks(others, done)) done.add(id);
        expect(cycles.length > 0).toBe(done.size < plan.length);
      }),
    );
  });
});
