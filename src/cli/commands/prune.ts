import { retainedWorkflows } from '../../client/retained.ts';
import { openStore, storePlace } from '../../store/open-store.ts';
import type { SqlStore } from '../../store/sql-store.ts';
import type { Reprise } from '../../client.ts';
import { open, withConnection } from '../connection.ts';
import { CommandError, usageError } from '../exit.ts';
import { homeFolder, type CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';

type PruneOptions = CommonOptions & { dryRun?: boolean; keepDays?: string; forget?: string };

/** For how long what was written is left alone, in seconds: longer than Temporal takes to list a run that has begun. */
const graceSeconds = 86_400;

export async function prune(
  shell: Shell,
  { dryRun: isDry = false, forget, json, keepDays, ...options }: PruneOptions,
): Promise<void> {
  const days = keepDays === undefined ? undefined : daysOf(keepDays);
  await withConnection(open(shell, options), async ({ reprise }) => {
    const store = openStore(homeFolder(shell), shell.environment);
    try {
      if (forget !== undefined) await assertKnown(store, forget);
      const pruned = await pruneStore(store, reprise.client, {
        isDry,
        ...(days !== undefined && { days }),
        ...(forget !== undefined && { forget }),
        place: storePlace(homeFolder(shell), shell.environment),
        tell: shell.say,
      });
      if (json) await shell.printJson(pruned);
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

async function assertKnown({ sweep }: SqlStore, id: string): Promise<void> {
  const known = await sweep.namespaces();
  if (!known.has(id)) {
    const list = [...known].map(([each, name]) => `  ${each} (${name})`).join('\n');
    throw usageError(`The store knows no namespace ${id}; it knows:\n${list || '  none'}`);
  }
}

interface PruneSettings {
  isDry: boolean;
  days?: number;
  /** The id of a namespace whose runs count no more: from now on, unless it is a dry run. */
  forget?: string;
  grace?: number;
  /** The store in words. */
  place: string;
  tell: (text: string) => void;
}

/** Removes from a store what the runs in Temporal do not need. @param grace as `graceSeconds`; tests have less */
export async function pruneStore(
  { sweep }: SqlStore,
  client: Reprise['client'],
  { days, forget = '', grace = graceSeconds, isDry, place, tell }: PruneSettings,
) {
  const before = Math.floor(Date.now() / 1000) - grace;
  const namespaces = await sweep.namespaces();
  const forgotten = namespaces.get(forget);
  namespaces.delete(forget);
  if (namespaces.size === 0)
    throw new CommandError(
      `No worker has begun on the store, ${place}, so that it does not say which runs use it. Name that of the workers by ` +
        'DATABASE_URL or REPRISE_HOME, or start one (reprise up), then prune',
    );
  const { workflowIds, ...runs } = await retainedWorkflows(client, {
    namespaces,
    known: await sweep.workflowIds(),
    ...(days !== undefined && { keepDays: days }),
  });
  if (forgotten !== undefined) {
    if (!isDry) await sweep.forgetNamespace(forget);
    tell(`Runs of ${forgotten} (${forget}) count no more`);
  }
  const { bytes: sizeBefore } = await sweep.size();
  const removed = await sweep.remove(workflowIds, { before, isDry });
  const bytes = Object.values(removed).reduce((sum, each) => sum + each.bytes, 0);
  const isShrunk = isDry || (await sweep.shrink());
  if (!isShrunk && bytes > 0)
    tell(
      'The room is used again by what comes; the store itself does not become smaller (docs/command-line.md, prune)',
    );
  const { bytes: after } = await sweep.size();
  // As `--json` prints it. Sizes are in bytes.
  return { dryRun: isDry, runs, removed, bytes, store: { before: sizeBefore, after } };
}

type Pruned = Awaited<ReturnType<typeof pruneStore>>;

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
