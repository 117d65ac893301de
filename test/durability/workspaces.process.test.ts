import { expect, inject, test } from 'vitest';
import { toolKills } from '../support/tool-kills.ts';

// One for each call of a tool that such a run makes.
const runs = 9;

test(`kill -9 inside each of ${runs} calls that change files, before and after its result is kept: another worker with an empty home goes on, and every tree is that of the undisturbed run`, async () => {
  const { bundle, cli: temporal } = inject('temporal');
  const { differing, files, killed } = await toolKills({ runs, temporal, bundle });
  expect(differing).toEqual([]);
  expect({ files, killed }).toEqual({ files: 7, killed: 2 * runs });
}, 300_000);
