import { expect, test } from 'vitest';
import { readRates } from '../../../src/models/rates/settings.ts';

test('entries name a key or a host, and what it lets through', () => {
  expect(readRates(' OPENAI_API_KEY=500/min,200000tokens/min\n127.0.0.1:8000=2/s ')).toEqual([
    {
      name: 'OPENAI_API_KEY',
      limits: [
        { of: 'requests', amount: 500, periodMs: 60_000 },
        { of: 'tokens', amount: 200_000, periodMs: 60_000 },
      ],
    },
    { name: '127.0.0.1:8000', limits: [{ of: 'requests', amount: 2, periodMs: 1000 }] },
  ]);
  expect(readRates('')).toEqual([]);
});

test.for(['500/min', 'KEY', 'KEY=', 'KEY=0/min', 'KEY=500', 'KEY=500/week', 'KEY=5/min,', 'KEY=-5/min', 'KEY=5 /min'])(
  '%s is refused with the form that is meant',
  (text) => {
    expect(() => readRates(text)).toThrow(/^REPRISE_RATES: ".*" is not understood.*OPENAI_API_KEY=500\/min/);
  },
);
