/**
 * Kills workers inside calls of tools that change files, lets another worker with an empty home on the same store go on, and
 * tells whether every file was as in a run that nothing has disturbed: `npm run example scripts/tool-kills.ts [KILLS]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporalCli } from '../src/local/temporal-cli.ts';
import { workflowBundle } from '../src/worker/workflow-bundle.ts';
import { toolKills } from '../test/support/tool-kills.ts';

/** How many runs are under way at a time; each is disturbed twice. */
const atOnce = 18;

const kills = Number(process.argv[2] ?? 36);
const folder = mkdtempSync(join(tmpdir(), 'reprise-tool-kills-'));
const { codePath: bundle } = await workflowBundle(folder, folder);
const temporal = await findTemporalCli(console.error);
const differing: string[] = [];
let killed = 0;
for (let left = kills; left > 0; left = kills - killed) {
  const told = await toolKills({ runs: Math.min(atOnce, Math.ceil(left / 2)), temporal, bundle });
  killed += told.killed;
  differing.push(...told.differing);
  console.error(`${killed} killed, ${differing.length} different`);
}
rmSync(folder, { recursive: true, force: true });
for (const text of differing) console.log(text);
console.log(
  `${differing.length} of the runs with ${killed} kills did not end with the undisturbed run's files, bit for bit`,
);
process.exit(differing.length === 0 ? 0 : 1);
