import { expect, inject, test } from 'vitest';
import { askedKills, type KillPoint } from '../support/asked-kills.ts';

// `scripts/asked-kills.ts` does the same a hundred times.
test(
  'kill -9 of the worker around a tool call that needs approval: it takes effect once, and a decision is never asked for again',
  { timeout: 600_000 },
  async () => {
    const points: KillPoint[] = ['before', 'after', 'waiting', 'answering', 'committing'];
    const runs = await askedKills(inject('temporal'), points);
    expect(runs.map(({ effects }) => effects)).toEqual([1, 1, 1, 1, 1]);
    for (const { answer, asked, honoursKeys, point } of runs) {
      expect(answer).toMatch(/^Done: (Booked|done)$/);
      // A call that must not run twice is asked for again only where its agent has found that it had no effect.
      expect(asked).toBe(point === 'before' && !honoursKeys ? 2 : 1);
    }
  },
);
