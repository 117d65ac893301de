import { neededByRuns } from '../../client/needed.ts';
import { openStore } from '../../store/open-store.ts';
import type { SqlStore } from '../../store/sql-store.ts';
import type { Swept } from '../../store/sweep.ts';
import type { Reprise } from '../../client.ts';
import { open, withConnection } from '../connection.ts';
import { CommandError, usageError } from '../exit.ts';
import { homeFolder, type CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';

export interface PruneOptions extends Pick<CommonOptions, 'json' | 'temporal'> {
  dryRun?: boolean;
  keepDays?: string;
  forget?: string;
}

/**
 * For how long a row is left alone after it was written, in seconds: longer than any call of a model or a tool takes until the
 * history of its run names what it has stored.
 */
const graceSeconds = 86_400;

/** What `prune` has done, as `--json` prints it. Sizes are in bytes. */
interface Pruned {
  dryRun: boolean;
  runs: { open: number; kept: number; past: number };
  removed: Record<string, { rows: number; of: number; bytes: number }>;
  bytes: number;
  store: { before: number; after: number };
}

/** `reprise prune`: removes from the store what no open or kept run needs. */
export async function prune(
  shell: Shell,
  { dryRun: isDry = false, forget, json, keepDays, ...options }: PruneOptions,
): Promise<void> {
  const days = keepDays === undefined ? undefined : daysOf(keepDays);
  await withConnection(open(shell, options), async ({ reprise }) => {
    const store = openStore(homeFolder(shell), shell.environment);
    try {
      if (forget !== undefined) await forgetNamespace(shell, store, forget);
      const pruned = await pruneStore(store, reprise.client, {
        isDry,
        ...(days !== undefined && { days }),
        tell: shell.say,
      });
      if (json) await shell.print(JSON.stringify(pruned));
      else for (const line of linesOf(pruned)) await shell.print(line);
    } finally {
      await store.close();
    }
  });
}

function daysOf(text: string): number {
  if (!/^\d+$/.test(text)) throw usageError(`--keep-days takes a whole number of days, not "${text}"`);
  return Number(text);
}

async function forgetNamespace(shell: Shell, { sweep }: SqlStore, id: string): Promise<void> {
  const known = await sweep.namespaces();
  if (!known.has(id)) {
    const list = [...known].map(([each, name]) => `  ${each} (${name})`).join('\n');
    throw usageError(`The store knows no namespace ${id}; it knows:\n${list || '  none'}`);
  }
  await sweep.forgetNamespace(id);
  shell.say(`Runs of ${known.get(id)} (${id}) count no more`);
}

interface PruneSettings {
  isDry: boolean;
  days?: number;
  grace?: number;
  tell: (text: string) => void;
}

/** Removes from a store what the runs in Temporal do not need. @param grace as `graceSeconds`; tests have less */
export async function pruneStore(
  { sweep }: SqlStore,
  client: Reprise['client'],
  { days, grace = graceSeconds, isDry, tell }: PruneSettings,
): Promise<Pruned> {
  const before = Math.floor(Date.now() / 1000) - grace;
  const progress = ticker(tell);
  const namespaces = await sweep.namespaces();
  if (namespaces.size === 0)
    throw new CommandError(
      'The store does not say which runs use it: no worker has begun on it yet. Start one (reprise up), then prune',
    );
  const needed = await neededByRuns(client, {
    namespaces,
    journalled: await sweep.runIds(),
    ...(days !== undefined && { keepDays: days }),
    onRun: (count) => progress(`Reading histories … ${count} runs`),
  });
  const marked = await sweep.mark(needed, before, (count) => progress(`Finding what they need … ${count}`));
  const { bytes: sizeBefore } = await sweep.size();
  const swept = await sweep.remove(needed, marked, before, isDry);
  const bytes = [...swept.values()].reduce((sum, each) => sum + each.bytes, 0);
  const isShrunk = isDry || (await sweep.shrink());
  if (!isShrunk && bytes > 0)
    tell(
      'The room is used again by what comes; the store itself does not become smaller (docs/command-line.md, prune)',
    );
  const { open: isOpen, kept, past } = needed;
  const removed = Object.fromEntries([...swept].map(([table, each]) => [table, rowOf(each)]));
  const { bytes: after } = await sweep.size();
  return { dryRun: isDry, runs: { open: isOpen, kept, past }, removed, bytes, store: { before: sizeBefore, after } };
}

const rowOf = ({ bytes, removed, rows }: Swept) => ({ rows: removed, of: rows, bytes });

/** Tells how far something has come, at most every two seconds. */
function ticker(tell: (text: string) => void): (text: string) => void {
  let last = Date.now();
  return (text) => {
    if (Date.now() - last < 2000) return;
    last = Date.now();
    tell(text);
  };
}

function linesOf({ bytes, dryRun, removed, runs, store }: Pruned): string[] {
  const verb = dryRun ? 'would be removed' : 'removed';
  const tables = Object.entries(removed).filter(([, { rows }]) => rows > 0);
  return [
    `${runs.open} open and ${runs.kept} ended runs are kept${runs.past > 0 ? `, ${runs.past} older ones are not` : ''}`,
    ...tables.map(([table, each]) => `  ${table}: ${each.rows} of ${each.of} rows ${verb}, ${megabytes(each.bytes)}`),
    tables.length === 0 ? 'Nothing to remove' : `${megabytes(bytes)} ${verb}`,
    ...(dryRun ? [] : [`The store has ${megabytes(store.after)}; before, it had ${megabytes(store.before)}`]),
  ];
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
