import { describe, expect, inject, test } from 'vitest';
import { toolKills } from '../support/tool-kills.ts';

// One for each call of a tool that such a run makes.
const runs = 9;

// Side by side, since most of their time is the wait for the heartbeat timeout of a dead worker's calls.
describe.concurrent(`kill -9 of a worker inside each of ${runs} calls of tools that change files`, () => {
  test.each(['before', 'after'] as const)(
    'another worker with an empty home goes on, and every tree is that of the undisturbed run: %s its result is kept',
    async (moment) => {
      const { bundle, cli: temporal } = inject('temporal');
      const { differing, files, killed } = await toolKills({ runs, moment, temporal, bundle });
      expect(differing).toEqual([]);
      expect({ files, killed }).toEqual({ files: 7, killed: runs });
    },
    300_000,
  );
});
