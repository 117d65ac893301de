import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { chaos, type ChaosSettings } from '../../scripts/chaos/chaos.ts';
import { keptBundle } from '../../src/worker/workflow-bundle.ts';
import { hasPostgres } from '../support/postgres.ts';

/** How long the runs are disturbed on each store, in minutes, and a seed by which all kinds come in that time on the first. */
const courses: Array<Pick<ChaosSettings, 'store' | 'minutes' | 'seed'>> = [
  { store: 'sqlite', minutes: 2, seed: 1386 },
  ...(hasPostgres('chaos on PostgreSQL') ? [{ store: 'postgres', minutes: 1, seed: 3 } as const] : []),
];

// `npm run chaos -- --minutes 10` does the same for longer and with more runs at once.
describe('whatever dies', () => {
  test.for(courses)(
    'on $store: no finished call is paid for twice, no effect doubled, no answer and no run lost',
    { timeout: 900_000 },
    async (course, { onTestFailed }) => {
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
      const { doubled, finished, lost, refused, repeated, runs, unanswered } = verdict;
      const broken = { doubled, lost, refused, repeated, unanswered };
      expect(broken).toEqual({ doubled: [], lost: [], refused: [], repeated: [], unanswered: [] });
      expect(finished).toBeGreaterThan(0);
      expect(runs).toBeGreaterThan(0);
    },
  );
});
