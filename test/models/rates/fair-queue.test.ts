import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type Waiting } from '../../../src/models/rates/bucket.ts';

interface Named extends Waiting {
  number: number;
}

const key = (one: Named): string => one.priority?.fairnessKey ?? '';
const queueOf = (all: Named[]): FairQueue<Named> => {
  const queue = new FairQueue<Named>();
  for (const one of all) queue.add(one);
  return queue;
};
const drained = (queue: FairQueue<Named>): Named[] => {
  const taken: Named[] = [];
  for (let one = queue.next(); one !== undefined; one = queue.next()) taken.push(one);
  return taken;
};
const waiting = (fairnessKey: string, number: number, more = {}): Named => ({
  number,
  priority: { fairnessKey, ...more },
});

test('everybody gets a turn before anybody gets two more than another who waits', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }), (keys) => {
      const all = keys.map((name, number) => waiting(name, number));
      const taken = drained(queueOf(all));
      expect(new Set(taken)).toEqual(new Set(all));
      for (let end = 0; end < taken.length; end++) {
        const [before, after] = [taken.slice(0, end).map(key), taken.slice(end).map(key)];
        const counts = [...new Set(after)].map((name) => before.filter((each) => each === name).length);
        if (counts.length > 1) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }
      for (const name of ['a', 'b', 'c']) {
        const numbers = taken.filter((one) => key(one) === name).map(({ number }) => number);
        expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      }
    }),
  );
});

test('who comes late is next, and does not catch up on what came before', () => {
  const queue = queueOf(Array.from({ length: 20 }, (_, number) => waiting('many', number)));
  for (let taken = 0; taken < 10; taken++) queue.next();
  queue.add(waiting('late', 100));
  queue.add(waiting('late', 101));
  expect(drained(queue).slice(0, 4).map(key).toSorted()).toEqual(['late', 'late', 'many', 'many']);
});

test('a weight of three is three turns of four', () => {
  const all = Array.from({ length: 20 }, (_, number) => [
    waiting('light', number),
    waiting('heavy', number, { fairnessWeight: 3 }),
  ]).flat();
  const first = drained(queueOf(all)).slice(0, 16).map(key);
  expect(first.filter((name) => name === 'heavy')).toHaveLength(12);
});

test('a smaller priority key goes before all others', () => {
  const queue = queueOf([waiting('a', 0), waiting('b', 1, { priorityKey: 1 }), waiting('c', 2, { priorityKey: 5 })]);
  expect(drained(queue).map(({ number }) => number)).toEqual([1, 0, 2]);
});
