import { describe, expect, test } from 'vitest';
import { Subtasks } from '../../../../src/workflows/plan-and-execute/rules/subtasks.ts';
import { planned } from '../../../support/plans.ts';

const withPlan = (...plan: Parameters<Subtasks['add']>[0]): Subtasks => {
  const subtasks = new Subtasks();
  subtasks.add(plan);
  return subtasks;
};

/** Runs all subtasks that can run, of which the `failing` ones fail. */
function runAll(subtasks: Subtasks, ...failing: string[]): void {
  for (let [id] = subtasks.next(0, 1); id !== undefined; [id] = subtasks.next(0, 1)) {
    subtasks.start(id);
    if (failing.includes(id)) subtasks.fail(id, `${id} is broken`);
    else subtasks.complete(id, `${id} is done`, 1);
  }
}

const statuses = (subtasks: Subtasks): Record<string, string> =>
  Object.fromEntries(subtasks.report().map(({ id, status }) => [id, status]));

const isIdle = (subtasks: Subtasks): boolean =>
  subtasks.report().every(({ status }) => status === 'completed' || status === 'failed');

const errors = (subtasks: Subtasks): Record<string, string | undefined> =>
  Object.fromEntries(subtasks.report().map(({ id, error }) => [id, error]));

const failedIds = (subtasks: Subtasks): string[] => subtasks.get_failed_subtasks().map(({ id }) => id);

const chain = () =>
  withPlan(planned('step_1'), planned('step_2', 'step_1'), planned('step_3', 'step_2'), planned('step_4', 'step_3'));

describe('the examples of the document', () => {
  test('10 subtasks, 3 failures, 2 rounds: 10 + 3 + 1 = 14 executions', () => {
    const ids = Array.from({ length: 10 }, (_, index) => `step_${index + 1}`);
    const subtasks = withPlan(...ids.map((id) => planned(id)));
    runAll(subtasks, 'step_3', 'step_5', 'step_8');
    expect(subtasks.executions).toBe(10);
    expect(subtasks.get_state_summary()).toMatchObject({ subtasks_completed: 7, subtasks_failed: 3 });

    expect(subtasks.beginRound()).toEqual(['step_3', 'step_5', 'step_8']);
    runAll(subtasks, 'step_5');
    expect(subtasks.executions).toBe(13);
    expect(subtasks.get_state_summary()).toMatchObject({ subtasks_failed: 1, dead_ends: 1 });

    expect(subtasks.beginRound()).toEqual(['step_5']);
    runAll(subtasks);
    expect(subtasks.executions).toBe(14);
    expect(subtasks.get_state_summary()).toEqual({
      subtasks_total: 10,
      subtasks_completed: 10,
      subtasks_failed: 0,
      subtasks_pending: 0,
      dead_ends: 1,
    });
  });

  test('4 subtasks in a row, the second fails: 4 results and 3 new ones, 7 by its count, of 5 executions', () => {
    const subtasks = chain();
    runAll(subtasks, 'step_2');
    const results = subtasks.report();
    expect(results).toMatchObject([
      { id: 'step_1', status: 'completed', executions: 1 },
      { id: 'step_2', status: 'failed', executions: 1, error: 'step_2 is broken' },
      { id: 'step_3', status: 'failed', executions: 0, error: 'Depends on step_2' },
      { id: 'step_4', status: 'failed', executions: 0, error: 'Depends on step_3' },
    ]);
    expect(failedIds(subtasks)).toEqual(['step_2', 'step_3', 'step_4']);

    const retried = subtasks.beginRound();
    runAll(subtasks);
    expect(results.length + retried.length).toBe(7);
    expect(subtasks.executions).toBe(5);
    expect(subtasks.get_state_summary()).toMatchObject({ subtasks_completed: 4, dead_ends: 0 });
    expect(subtasks.get('step_4')).toEqual({
      ...planned('step_4', 'step_3'),
      status: 'completed',
      executions: 1,
      result: 'step_4 is done',
      completedIn: 1,
    });
  });
});

describe('what is next', () => {
  const subtasks = withPlan(planned('c', 'b'), planned('a'), planned('b'), planned('d'));

  test.each([
    ['what is ready, in the order of the plan', 0, 9, ['a', 'b', 'd']],
    ['no more than there are places', 0, 2, ['a', 'b']],
    ['no more than there are free places', 1, 2, ['a']],
    ['none without a free place', 2, 2, []],
    ['none where more run than may', 3, 2, []],
  ])('%s', (_, running, maxParallel, ids) => {
    expect(subtasks.next(running, maxParallel)).toEqual(ids);
  });

  test('is not what runs, and what depends on it waits until it has completed', () => {
    const some = withPlan(planned('b', 'a'), planned('a'));
    some.start('a');
    expect(some.next(1, 9)).toEqual([]);
    expect(isIdle(some)).toBe(false);
    some.complete('a', 'x', 1);
    expect(some.next(0, 9)).toEqual(['b']);
  });

  test('may be what depends on a subtask of an earlier plan', () => {
    const some = chain();
    runAll(some);
    some.add([planned('more', 'step_4')]);
    expect(some.next(0, 1)).toEqual(['more']);
  });
});

describe('a failure', () => {
  test('goes on to all that depends on it, while the rest goes on', () => {
    const subtasks = withPlan(planned('e', 'c', 'b'), planned('c', 'a'), planned('a'), planned('b'));
    subtasks.start('a');
    subtasks.start('b');
    subtasks.fail('a', 'x');
    expect(statuses(subtasks)).toEqual({ a: 'failed', b: 'running', c: 'failed', e: 'failed' });
    expect(errors(subtasks)).toMatchObject({ a: 'x', c: 'Depends on a', e: 'Depends on c' });
    subtasks.complete('b', 'y', 1);
    expect(isIdle(subtasks)).toBe(true);
  });

  test('is named by the nearest: what really failed before what failed by it', () => {
    const subtasks = withPlan(planned('a'), planned('b', 'a'), planned('c', 'b', 'a'));
    runAll(subtasks, 'a');
    expect(errors(subtasks)).toMatchObject({ b: 'Depends on a', c: 'Depends on a' });
  });

  test('is that of an added subtask which depends on a failed one', () => {
    const subtasks = chain();
    runAll(subtasks, 'step_4');
    subtasks.add([planned('more', 'step_4')]);
    expect(errors(subtasks)).toMatchObject({ more: 'Depends on step_4' });
    expect(isIdle(subtasks)).toBe(true);
  });
});

describe('a retry', () => {
  test('keeps why a subtask failed until it completes; that it only waited is forgotten', () => {
    const subtasks = chain();
    runAll(subtasks, 'step_2');
    subtasks.beginRound();
    expect(errors(subtasks)).toMatchObject({ step_2: 'step_2 is broken', step_3: undefined });
    expect(subtasks.get_state_summary()).toMatchObject({ subtasks_pending: 3, subtasks_failed: 0 });
    runAll(subtasks);
    expect(errors(subtasks)).toMatchObject({ step_2: undefined });
  });

  test('of one subtask takes along what it waits for, and nothing else', () => {
    const subtasks = chain();
    runAll(subtasks, 'step_2');
    subtasks.retry_subtask('step_3');
    expect(statuses(subtasks)).toEqual({ step_1: 'completed', step_2: 'pending', step_3: 'pending', step_4: 'failed' });
  });

  test('that fails is a dead end, once, and has been one when it completes later', () => {
    const subtasks = chain();
    runAll(subtasks, 'step_2');
    expect(subtasks.deadEnds).toEqual([]);
    for (let round = 1; round <= 2; round++) {
      subtasks.beginRound();
      runAll(subtasks, 'step_2');
      expect(subtasks.get_state_summary().dead_ends).toBe(1);
    }
    subtasks.beginRound();
    runAll(subtasks);
    expect(subtasks.get_state_summary()).toMatchObject({ subtasks_completed: 4, dead_ends: 1 });
    expect(subtasks.deadEnds).toEqual([{ id: 'step_2', description: 'Do step_2', error: 'step_2 is broken' }]);
  });

  test('that comes to run only now counts as one; an added subtask that fails does not', () => {
    const subtasks = chain();
    runAll(subtasks, 'step_2');
    subtasks.beginRound();
    subtasks.add([planned('more')]);
    runAll(subtasks, 'step_3', 'more');
    expect(subtasks.deadEnds.map(({ id }) => id)).toEqual(['step_3']);
  });
});

describe('a way around dead ends', () => {
  /** The second of four has failed twice, so that the last two could not run. */
  const stuck = (): Subtasks => {
    const subtasks = chain();
    runAll(subtasks, 'step_2');
    subtasks.beginRound();
    runAll(subtasks, 'step_2');
    return subtasks;
  };

  test('what replaces one comes before what depended on it; it stays failed, and is not needed', () => {
    const subtasks = stuck();
    expect(subtasks.neededDeadEnds.map(({ id }) => id)).toEqual(['step_2']);
    subtasks.addAround([planned('a', 'step_1'), { ...planned('b', 'a'), replaces: ['step_2'] }]);
    expect(subtasks.beginRound()).toEqual(['step_3', 'step_4']);
    runAll(subtasks);
    expect(statuses(subtasks)).toEqual({
      step_1: 'completed',
      step_2: 'failed',
      step_3: 'completed',
      step_4: 'completed',
      a: 'completed',
      b: 'completed',
    });
    expect(subtasks.get('step_2')).toMatchObject({ replacedBy: ['b'], executions: 2 });
    expect(subtasks.get('step_3')?.dependsOn).toEqual(['b']);
    expect(failedIds(subtasks)).toEqual(['step_2']);
    expect(subtasks.neededFailures).toEqual([]);
  });

  test('what depended on one may be replaced too', () => {
    const subtasks = stuck();
    subtasks.addAround([{ ...planned('a'), replaces: ['step_2', 'step_3'] }]);
    expect(subtasks.beginRound()).toEqual(['step_4']);
    expect(subtasks.get('step_4')?.dependsOn).toEqual(['a']);
  });

  test('a plan that does not say what it replaces is for all dead ends, by its last subtasks', () => {
    const subtasks = stuck();
    subtasks.addAround([planned('a'), planned('b', 'a'), planned('c')]);
    expect(subtasks.get('step_2')?.replacedBy).toEqual(['b', 'c']);
    expect(subtasks.get('step_3')).toMatchObject({ status: 'failed', dependsOn: ['b', 'c'] });
  });

  test('a replacement that fails is needed, is retried, and may be replaced in its turn', () => {
    const subtasks = stuck();
    subtasks.addAround([{ ...planned('a'), replaces: ['step_2'] }]);
    subtasks.beginRound();
    runAll(subtasks, 'a');
    expect(subtasks.neededFailures.map(({ id }) => id)).toEqual(['step_3', 'step_4', 'a']);
    expect(subtasks.neededDeadEnds).toEqual([]);
    expect(subtasks.beginRound()).toEqual(['step_3', 'step_4', 'a']);
    runAll(subtasks, 'a');
    subtasks.addAround([{ ...planned('b'), replaces: ['a'] }]);
    subtasks.beginRound();
    runAll(subtasks);
    expect(subtasks.neededFailures).toEqual([]);
    expect(subtasks.get('step_3')?.dependsOn).toEqual(['b']);
  });

  test('a dead end that nothing replaces is tried once more', () => {
    const subtasks = withPlan(planned('a'), planned('b'));
    runAll(subtasks, 'a', 'b');
    subtasks.beginRound();
    runAll(subtasks, 'a', 'b');
    subtasks.addAround([{ ...planned('c'), replaces: ['a'] }]);
    expect(subtasks.beginRound()).toEqual(['b']);
  });
});

test('of a long error so much is kept as a result has room for', () => {
  const subtasks = withPlan(planned('a'));
  subtasks.start('a');
  subtasks.fail('a', '长'.repeat(100_000));
  expect(Buffer.byteLength(subtasks.get('a')?.error ?? '')).toBeLessThanOrEqual(4000);
});

test('what does not fit a subtask as it is changes nothing', () => {
  const subtasks = withPlan(planned('a'), planned('b'), planned('c', 'b'));
  runAll(subtasks, 'b');
  const before = subtasks.report();
  for (const id of ['a', 'b', 'c', 'none']) {
    subtasks.start(id);
    subtasks.complete(id, 'again', 1);
    subtasks.fail(id, 'again');
  }
  subtasks.retry_subtask('a');
  subtasks.retry_subtask('none');
  expect(subtasks.report()).toEqual(before);
});

test('attachments are known, but not reported', () => {
  const subtasks = withPlan({ ...planned('a'), attachments: ['x.csv'] });
  expect(subtasks.get('a')?.attachments).toEqual(['x.csv']);
  expect(subtasks.report()).toEqual([{ ...planned('a'), status: 'pending', executions: 0 }]);
});
