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

/** How many runs are under way at a time, on a machine of their own. */
const atOnce = 24;

const home = mkdtempSync(join(tmpdir(), 'reprise-asked-kills-'));
const cli = await findTemporalCli(console.error);
const { codePath } = await workflowBundle(home, home);
const points = Array.from({ length: times }, (_, number) => killPoints[number % killPoints.length] ?? 'asking');

let count = 0;
const told = ({ answer, asked, effects, honoursKeys, point }: KilledRun): void => {
  const tool = honoursKeys ? 'honours its key' : 'must not run twice';
  console.error(`${++count}: killed ${point}, ${tool}: ${effects} effects, asked ${asked} times, ${answer}`);
};
const runs: KilledRun[] = [];
for (let first = 0; first < times; first += atOnce)
  runs.push(...(await askedKills({ cli, bundle: codePath }, points.slice(first, first + atOnce), told)));
rmSync(home, { recursive: true, force: true });
const once = runs.filter(({ effects }) => effects === 1).length;
console.log(`effects happened once in ${once} of ${times}`);
process.exit(once === times ? 0 : 1);
