import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, inject, test } from 'vitest';
import { chaos } from '../../scripts/chaos/chaos.ts';
import { keptBundle } from '../../src/worker/workflow-bundle.ts';

// `npm run chaos -- --minutes 10` does the same for longer, with more runs at once, and on PostgreSQL as well.
test(
  'whatever dies for two minutes, no finished call is paid for twice, no effect doubled, no answer and no run lost',
  { timeout: 900_000 },
  async () => {
    const { bundle, cli } = inject('temporal');
    const said: string[] = [];
    const { lines, verdict } = await chaos({
      minutes: 2,
      seed: 1386,
      runsAtOnce: 3,
      workers: 2,
      store: 'sqlite',
      cli,
      say: (text) => said.push(text),
      prepare(home) {
        mkdirSync(dirname(keptBundle(home)), { recursive: true });
        copyFileSync(bundle, keptBundle(home));
      },
    });
    const { doubled, lost, refused, repeated, unanswered } = verdict;
    const broken = { doubled, lost, refused, repeated, unanswered };
    expect(broken, [...said, ...lines].join('\n')).toEqual({
      doubled: [],
      lost: [],
      refused: [],
      repeated: [],
      unanswered: [],
    });
    expect(verdict.finished).toBeGreaterThan(0);
    expect(verdict.runs).toBeGreaterThan(0);
  },
);
