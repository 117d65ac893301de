import { ofFolders, ofTrees } from './own-store.ts';
import type { Prepared } from '../../protocol/orchestration.ts';
import type { RunFiles, TreeChanges } from '../../protocol/workspace.ts';
import type { EventLog } from './event-log.ts';

const { importFolders } = ofFolders('workspaces');

/** Trees by the ids of the agents whose files they are; null for no files. */
export type AgentTrees = Record<string, string | null>;

/** Takes over the folders with which agents begin. @throws `ActivityFailure` when one cannot be read, or holds too much */
export async function startTrees(
  { folders, folderSeals }: Pick<Prepared, 'folders' | 'folderSeals'>,
  events: EventLog,
): Promise<AgentTrees> {
  if (folders === undefined) return {};
  const names = [...new Set(Object.values(folders))];
  const imported = await (folderSeals === undefined ? importFolders(names) : importFolders(names, folderSeals));
  for (const [index, { leftOut }] of imported.entries()) {
    if (leftOut.length === 0) continue;
    events.emit({ type: 'notice', text: `Not taken over from ${names[index]}: ${leftOut.join('; ')}` });
  }
  const treeOf = (folder: string): string | null => imported[names.indexOf(folder)]?.tree ?? null;
  return Object.fromEntries(Object.entries(folders).map(([id, folder]) => [id, treeOf(folder)]));
}

export async function runFiles(start: string | null, tree: string | null): Promise<RunFiles> {
  return { tree, ...(await ofTrees.compareFiles(start, tree)) };
}

/** Tells what an agent has changed, with the first five paths; nothing if it has changed nothing. */
export function tellChanges(events: EventLog, agent: string, { added, changed, count, removed }: TreeChanges): void {
  if (count === 0) return;
  const paths = [...added, ...changed, ...removed].slice(0, 5);
  events.emit({ type: 'files', agent, count, paths });
}
