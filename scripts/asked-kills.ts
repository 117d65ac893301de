/**
 * Kills the worker of a run whose tool call needs a person's leave, again and again and at every point of the call, and
 * tells how many of the calls took effect once: `npm run example scripts/asked-kills.ts [TIMES]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporalCli } from '../src/local/temporal-cli.ts';
import { workflowBundle } from '../src/worker/workflow-bundle.ts';
import { askedKills, killPoints, type KilledRun } from '../test/support/asked-kills.ts';

const times = Number(process.argv[2] ?? 20);

/** How many machines are worked on at a time, since most of the time is the wait for the calls of a dead worker. */
const machines = 4;

const home = mkdtempSync(join(tmpdir(), 'reprise-asked-kills-'));
const cli = await findTemporalCli(console.error);
const { codePath } = await workflowBundle(home, home);
const points = Array.from({ length: times }, (_, number) => killPoints[number % killPoints.length] ?? 'asking');

let count = 0;
const told = ({ answer, asked, effects, honoursKeys, point }: KilledRun): void => {
  const tool = honoursKeys ? 'honours its key' : 'must not run twice';
  console.error(`${++count}: killed ${point}, ${tool}: ${effects} effects, asked ${asked} times, ${answer}`);
};
const runs = await Promise.all(
  Array.from({ length: machines }, (_, machine) =>
    askedKills(
      { cli, bundle: codePath },
      points.filter((_, number) => number % machines === machine),
      told,
    ),
  ),
);
rmSync(home, { recursive: true, force: true });
const once = runs.flat().filter(({ effects }) => effects === 1).length;
console.log(`effects happened once in ${once} of ${times}`);
process.exit(once === times ? 0 : 1);
