/**
 * `npm run bench -- snapshots`: what it costs to store a folder of 10,000 files of which one was changed, beside storing it
 * for the first time. Fails from a tenth on, and if more than the one file is stored. Medians of rounds.
 */
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { snapshot, type Checkout, type Snapshot } from '../src/tools/workspaces/folder.ts';
import { identityOf } from '../src/tools/workspaces/open-folder.ts';
import { tickMs } from '../src/tools/workspaces/read-folder.ts';
import { Trees } from '../src/tools/workspaces/tree.ts';
import { presentWorkflow } from '../src/store/reference-rows.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { median } from './stage.ts';

const rounds = 5;
const files = 10_000;
const most = 0.1;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = performance.now();
  const result = await presentWorkflow.run('bench', work);
  return { result, ms: performance.now() - startedAt };
}

async function round(number: number): Promise<{ stored: number; share: number; first: number }> {
  const home = mkdtempSync(join(tmpdir(), 'reprise-bench-'));
  const folder = join(home, 'folder');
  const pathOf = (index: number): string => join(folder, `part${index % 100}`, `file${index}.txt`);
  for (let part = 0; part < 100; part++) mkdirSync(join(folder, `part${part}`), { recursive: true });
  for (let index = 0; index < files; index++)
    writeFileSync(pathOf(index), `${index} of round ${number}, `.repeat(1000));
  const store = openSqliteStore(join(home, 'store.sqlite'));
  const trees = new Trees(store);
  await pause(tickMs * 2);
  const identity = identityOf(lstatSync(folder, { bigint: true }));
  const stored = async (made: Checkout): Promise<Snapshot> => {
    const taken = await snapshot(store, made);
    await trees.write(taken.checkout.own);
    return taken;
  };
  const first = await timed(() => stored({ folder, identity, own: new Map(), mounts: [] }));
  writeFileSync(pathOf(number), 'changed');
  // What the first one has left is not to be cleared away in the time of the second one.
  collectGarbage();
  const second = await timed(() => stored(first.result.checkout));
  await store.close();
  rmSync(home, { recursive: true });
  return { stored: second.result.read, share: second.ms / first.ms, first: first.ms };
}

// The first round warms up.
await round(0);
const taken: Array<Awaited<ReturnType<typeof round>>> = [];
for (let number = 1; number <= rounds; number++) taken.push(await round(number));
const share = median(taken.map((each) => each.share));
const stored = Math.max(...taken.map((each) => each.stored));
console.log(
  `${files} files, 1 changed: ${stored} file${stored === 1 ? '' : 's'} stored, ${(share * 100).toFixed(1)}% of the first ` +
    `snapshot's time (${Math.round(median(taken.map(({ first }) => first)))} ms; medians of ${rounds} rounds)`,
);
if (stored !== 1 || share >= most) {
  console.error(`It must be 1 file and less than ${most * 100}%`);
  process.exit(1);
}
