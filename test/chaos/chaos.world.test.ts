import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, inject, test } from 'vitest';
import { chaos, type ChaosSettings } from '../../scripts/chaos/chaos.ts';
import { keptBundle } from '../../src/worker/workflow-bundle.ts';

/** How long runs are disturbed, in minutes, and a seed by which all kinds of disturbances come in that time. */
const course: Pick<ChaosSettings, 'store' | 'minutes' | 'seed'> = { store: 'sqlite', minutes: 1.5, seed: 101_381 };

// `npm run chaos -- --minutes 10` does the same for longer, with more runs at once, and on PostgreSQL too.
test(
  'whatever dies, no finished call is paid for twice, no effect doubled, no result swapped, no answer and no run lost',
  { timeout: 900_000 },
  async ({ onTestFailed }) => {
    const { bundle, cli } = inject('temporal');
    const said: string[] = [];
    onTestFailed(() => console.error(said.join('\n')));
    const { lines, verdict } = await chaos({
      ...course,
      runsAtOnce: 3,
      workers: 2,
      cli,
      say: (text) => said.push(text),
      prepare(home) {
        mkdirSync(dirname(keptBundle(home)), { recursive: true });
        copyFileSync(bundle, keptBundle(home));
      },
    });
    said.push(...lines);
    const { doubled, finished, lost, refused, repeated, runs, swapped, toolResults, unanswered } = verdict;
    const broken = { doubled, lost, refused, repeated, swapped, unanswered };
    expect(broken).toEqual({ doubled: [], lost: [], refused: [], repeated: [], swapped: [], unanswered: [] });
    expect(toolResults.read).toBeGreaterThan(0);
    expect(finished).toBeGreaterThan(0);
    expect(runs).toBeGreaterThan(0);
  },
);
