import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonBytes, truncateToPayload } from '../../../src/workflows/runtime/size.ts';

const texts = fc.string({ unit: 'binary', maxLength: 3000 });

test('whatever its texts are, a value is cut to fit, and keeps its shape', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ id: fc.nat(), text: texts, more: fc.array(texts) })), (value) => {
      const cut = truncateToPayload(value, 4000);
      const bare = jsonBytes(value.map(({ id, more }) => ({ id, text: '', more: more.map(() => '') })));
      expect(jsonBytes(cut)).toBeLessThanOrEqual(Math.max(4000, bare));
      expect(cut.map(({ id, more }) => [id, more.length])).toEqual(value.map(({ id, more }) => [id, more.length]));
    }),
  );
});

test('a value that fits stays as it is', () => {
  const value = { answer: 'short', list: [1, null, true, 'ü'] };
  expect(truncateToPayload(value)).toBe(value);
});

test('short texts stay whole while long ones share what room is left', () => {
  const value = { id: 'subtask_1', one: '長'.repeat(100_000), other: 'x'.repeat(400_000), outcome: 'complete' };
  const cut = truncateToPayload(value, 100_000);
  expect([cut.id, cut.outcome]).toEqual(['subtask_1', 'complete']);
  expect(jsonBytes(cut)).toBeGreaterThan(90_000);
  expect(cut.one).toMatch(/^長+\n\[… [\d,]+ of 100,000 characters were left out here\]$/);
  expect(cut.other.length).toBeGreaterThan(cut.one.length);
});
