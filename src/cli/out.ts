import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFiles } from '../protocol/workspace.ts';
import { Trees } from '../tools/workspaces/tree.ts';
import { OutConflictError, writeOut } from '../tools/workspaces/write-out.ts';
import { hashOf } from '../util/ids.ts';
import { readStore } from '../store/open-store.ts';
import { writeAtomic } from '../util/private-files.ts';
import { CommandError, usageError } from './exit.ts';
import { countText } from '../client/show/spent.ts';
import { homeFolder, type CommonOptions } from './options.ts';
import { shellWord } from '../util/text/shell-word.ts';
import type { Shell } from './shell.ts';

/** What this home has written into a folder of the machine, so that the same run may write there again. */
interface WrittenRecord {
  run: string;
  /** Object ids by paths. */
  files: Record<string, string>;
}

/** Checks `--out` before anything starts. @throws `CommandError`, status 2, where nothing could be written there */
export function checkOut(shell: Shell, { detach, out }: Pick<CommonOptions, 'detach' | 'out'>): void {
  if (out === undefined) return;
  if (detach)
    throw usageError('--out waits for the end of the run, and --detach does not; later: reprise show ID --out DIR');
  if (out === '') throw usageError('--out takes a folder');
  const stats = statSync(shell.path(out), { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) throw usageError(`--out ${out}: is a file, not a folder`);
}

/**
 * Writes the files of a run, from this home's store or that of `DATABASE_URL`. @param files undefined without a workspace
 *
 * @throws `CommandError`, status 1, where the folder holds other files of the same names; then nothing is written
 */
export async function writeFiles(shell: Shell, run: string, files: RunFiles | undefined, out: string): Promise<void> {
  if (files === undefined)
    return shell.say('There are no files to write: no agent of the answer has a workspace (cwd, or builtin.workspace)');
  const home = homeFolder(shell);
  const { environment } = shell;
  const notHere = new CommandError(
    environment['DATABASE_URL'] === undefined
      ? `--out: the files are in the store of the run's worker, and not in ${home} (REPRISE_HOME)`
      : "--out: the files are in the store of the run's worker, and not in the one that DATABASE_URL names",
  );
  const store = readStore(home, environment);
  if (store === undefined) throw notHere;
  try {
    if (files.tree !== null && (await store.missingObjects([files.tree])).length > 0) throw notHere;
    const place = shell.path(out);
    const recordFile = join(home, 'outputs', `${hashOf(place)}.json`);
    const before = writtenBefore(recordFile, run);
    const done = await writeOut(store, new Trees(store), files.tree, place, before);
    const { leftOut, removed, written } = done;
    writeAtomic(recordFile, JSON.stringify({ run, files: Object.fromEntries(done.files) } satisfies WrittenRecord));
    shell.say(outText(out, done.files.size, written, removed));
    if (leftOut > 0) shell.say(`${countText(leftOut, 'file')} of git's own left out: git would run what they say`);
  } catch (error) {
    if (!(error instanceof OutConflictError)) throw error;
    throw new CommandError(
      `--out: ${error.message}. Nothing was written there; move them away, or name another folder: ` +
        `reprise show ${shellWord(run)} --out DIR`,
    );
  } finally {
    await store.close();
  }
}

function writtenBefore(recordFile: string, run: string): ReadonlyMap<string, string> {
  if (!existsSync(recordFile)) return new Map();
  const record = JSON.parse(readFileSync(recordFile, 'utf8')) as WrittenRecord;
  return new Map(record.run === run ? Object.entries(record.files) : []);
}

function outText(out: string, all: number, written: string[], removed: string[]): string {
  if (all === 0 && removed.length === 0) return `The answer has no files, so that nothing is written to ${out}`;
  const there = all - written.length;
  const facts = [
    `${countText(written.length, 'file')} written to ${out}`,
    ...(there === 0 ? [] : [`${there} there already`]),
    ...(removed.length === 0 ? [] : [`${removed.length} removed`]),
  ];
  const more = written.length > 20 ? [`  … and ${written.length - 20} more`] : [];
  return [facts.join(', '), ...written.slice(0, 20).map((path) => `  ${path}`), ...more].join('\n');
}
