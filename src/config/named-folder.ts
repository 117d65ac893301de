import { realpathSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { z } from 'zod';
import type { Prepared } from '../protocol/orchestration.ts';
import type { StartFolders } from '../protocol/workspace.ts';
import { guarded } from './privileges.ts';
import { isIn } from '../util/folders.ts';

const choices = 'name a folder in it, as in workspace1 or files/shop';

/** What is wrong with the name of a folder that a configuration may use; undefined if nothing is. */
function nameProblem(name: string): string | undefined {
  if (name.includes('\0')) return 'is no path';
  const path = posix.normalize(name.replaceAll('\\', '/'));
  if (posix.isAbsolute(path) || /^[a-z]:/i.test(path))
    return `"${name}" is absolute, and must be in the folder of the configuration: ${choices}`;
  if (path === '..' || path.startsWith('../'))
    return `"${name}" leads out of the folder of the configuration: ${choices}`;
  return undefined;
}

export const folderSchema = z
  .string()
  .min(1)
  .meta(guarded('folderInConfig'))
  .superRefine((name, context) => {
    const message = nameProblem(name);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** What no path of a workspace may hold, and how long one may be: there is to be room for others below it. */
const unfit = /[\p{Cc}\p{Cs}\\]/u;
const maxChars = 200;

/** A folder in an agent's workspace, as paths of trees have it: names joined by `/`. */
export const workspaceFolderSchema = z
  .string()
  .transform((name) => posix.normalize(name).replace(/\/$/, ''))
  .refine(
    (name) => nameProblem(name) === undefined && name !== '.' && !unfit.test(name) && name.length <= maxChars,
    'is no folder of a workspace: names joined by /, without .. and without a / in front',
  );

type NamedFolder = { kind: 'folder'; real: string } | { kind: 'missing' } | { kind: 'refused'; why: string };

/** Finds a folder in that of a configuration, `base`. Links on the way are followed, and must not lead out. */
export function findFolder(base: string, name: string): NamedFolder {
  const problem = nameProblem(name);
  if (problem !== undefined) return { kind: 'refused', why: problem };
  const home = realpathSync(base);
  const place = join(home, name);
  for (let above = place; ; above = dirname(above)) {
    const real = realOf(above);
    if (real === undefined) continue;
    if (typeof real === 'object') return { kind: 'refused', why: `"${name}" cannot be looked at: ${real.message}` };
    if (!isIn(home, real))
      return {
        kind: 'refused',
        why: `"${name}" is a link that leads out of the folder of the configuration: ${choices}`,
      };
    if (!statSync(real).isDirectory()) return { kind: 'refused', why: `"${name}" is not a folder; ${choices}` };
    return above === place ? { kind: 'folder', real } : { kind: 'missing' };
  }
}

/** The path behind all links; undefined if there is nothing; an error if nobody can tell, as with links in a circle. */
function realOf(path: string): string | Error | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : (error as Error);
  }
}

/**
 * Looks for the folders with which workspaces begin, by agents. One that is not there makes an empty workspace, and is told.
 * @param storage `snapshot_storage`, which need not be there yet
 */
export function startFoldersOf(
  configFolder: string,
  named: Record<string, readonly [cwd: string | undefined, owner: string]>,
  storage?: string,
): { folders: Pick<Prepared, 'folders'>; missing: string[]; problems: string[] } {
  const folders: StartFolders = {};
  const missing: string[] = [];
  const stored = storage === undefined ? undefined : findFolder(configFolder, storage);
  const problems = stored?.kind === 'refused' ? [`orchestrator.snapshot_storage: ${stored.why}`] : [];
  for (const [id, [cwd, owner]] of Object.entries(named)) {
    if (cwd === undefined) continue;
    const found = findFolder(configFolder, cwd);
    if (found.kind === 'refused') problems.push(`${owner}: cwd: ${found.why}`);
    else if (found.kind === 'folder') folders[id] = cwd;
    else missing.push(`${owner} begins with an empty workspace: there is no folder ${cwd} (cwd)`);
  }
  return { folders: Object.keys(folders).length === 0 ? {} : { folders }, missing, problems };
}
