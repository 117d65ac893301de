import { expect, test } from 'vitest';
import {
  disturbances,
  plannedDisturbances,
  plannedFaults,
  plannedOddity,
  plannedRun,
  runKinds,
  runOfId,
  type Disturbance,
} from '../../scripts/chaos/plan.ts';

const numbers = Array.from({ length: 200 }, (_, index) => index);
function firstOf(seed: number, count: number): Disturbance[] {
  const planned = plannedDisturbances(seed, disturbances);
  return Array.from({ length: count }, () => planned.next().value);
}

test('the same seed gives the same runs, disturbances, faults and odd replies, and another seed others', () => {
  const all = (seed: number) => [
    numbers.map((number) => plannedRun(seed, number)),
    firstOf(seed, 50),
    numbers.map((number) => [plannedFaults(seed, `call ${number}`), plannedOddity(seed, `call ${number}`)]),
  ];
  expect(all(7)).toEqual(all(7));
  for (const [index, part] of all(8).entries()) expect(part).not.toEqual(all(7)[index]);
});

test('a run is found again by its id', () => {
  for (const number of numbers) {
    const run = plannedRun(7, number);
    expect(runOfId(7, run.id)).toEqual(run);
  }
});

test('every kind of run and of disturbance comes once before any comes again', () => {
  const kinds = runKinds.map((_, number) => plannedRun(7, number).kind);
  expect(new Set(kinds)).toEqual(new Set(runKinds));
  for (let seed = 0; seed < 20; seed++) {
    const round = firstOf(seed, disturbances.length).map(({ kind }) => kind);
    expect(round.toSorted()).toEqual(disturbances.toSorted());
  }
});

test('no call is failed so often that it would be given up', () => {
  for (const number of numbers) expect(plannedFaults(7, `call ${number}`).length).toBeLessThanOrEqual(2);
});
