import { expect, test } from 'vitest';
import { GeneratedSolves, type Ended } from '../../support/generated-solves.ts';
import { running } from '../../support/running.ts';

/** Checks what must hold of a run, however it went. */
function check({ namedMissing, result, rounds }: Ended): void {
  const { answer, outcome, retries, subtasks, validation } = result;
  const byId = new Map(subtasks.map((subtask) => [subtask.id, subtask]));
  const isDone = (id: string): boolean => {
    const { replacedBy, status } = byId.get(id) ?? {};
    return status === 'completed' || (replacedBy?.every(isDone) ?? false);
  };
  const allDone = subtasks.every(({ id }) => isDone(id));
  expect(answer).not.toBe('');
  expect(['complete', 'partial', 'unverified']).toContain(outcome);
  expect(retries).toBeLessThanOrEqual(rounds);
  for (const { executions, result: said, status } of subtasks) {
    expect(executions).toBeLessThanOrEqual(1 + retries);
    if (status === 'completed') expect(said?.trim()).toBeTruthy();
  }
  if (outcome === 'complete') {
    expect(namedMissing).toBe(false);
    expect(allDone).toBe(true);
    expect(validation).toMatchObject({ isComplete: true, missingRequirements: [] });
  }
  if (outcome === 'unverified') expect({ allDone, validation }).toEqual({ allDone: true, validation: null });
}

test(
  'whatever executors and validators claim: nothing is complete that lacks a requirement or a subtask',
  { timeout: 600_000 },
  async () => {
    const generated = new GeneratedSolves(20261121);
    await using run = await running(generated.script);
    const ends = new Map<string, number>();
    let number = 0;
    const runOn = async (): Promise<void> => {
      while (number < 25) {
        const mine = number++;
        const ended = await generated.run(run.client, run.taskQueue, mine);
        try {
          check(ended);
        } catch (error) {
          throw new Error(`run ${mine} of seed ${generated.seed}: ${JSON.stringify(ended.result)}`, { cause: error });
        }
        ends.set(ended.result.outcome, (ends.get(ended.result.outcome) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 10 }, runOn));
    expect([...ends.keys()].toSorted()).toEqual(['complete', 'partial', 'unverified']);
    expect(ends.get('complete')).toBeGreaterThan(4);
  },
);
