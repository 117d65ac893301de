import type { Prepared } from '../protocol/orchestration.ts';
import type { StartFolders } from '../protocol/workspace.ts';
import { findFolder } from '../config/named-folder.ts';

/**
 * Looks for the folders with which workspaces begin. One that is not there makes an empty workspace, and is told.
 *
 * @param configFolder the folder in which the configuration is
 * @param named the backends' `cwd` and their owners in words, by the ids of agents
 * @param storage `snapshot_storage`, which need not be there yet
 * @returns the folders that are there, what is missing, and why others are refused
 */
export function foldersOf(
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
