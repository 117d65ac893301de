import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { findFolder } from '../config/named-folder.ts';
import type { ComparedTrees, ExportedTree, ImportedFolder, MergedTree } from '../protocol/workspace.ts';
import { compareTrees, mergeTrees } from '../tools/workspaces/compare.ts';
import { diffOf } from '../tools/workspaces/diff.ts';
import { importFolder } from '../tools/workspaces/folder.ts';
import { Trees } from '../tools/workspaces/tree.ts';
import { fileName, replaceFolder } from '../tools/workspaces/write-out.ts';
import type { Store } from '../store/store.ts';
import { cancellable } from './cancellable.ts';
import { storedIfLong } from './pages.ts';
import { invalid } from './prepare.ts';

/** Of what is left out of a folder, and of conflicts. */
const named = 5;

/** Workflows know trees by their ids alone. */
export function createTreeActivities({ store, configFolder }: { store: Store; configFolder: string }) {
  const trees = new Trees(store);
  return {
    /**
     * A folder that is gone counts as empty.
     * @param _seals are checked before (authorize.ts)
     * @throws `ApplicationFailure` of type `InvalidInput` for one that leads out, cannot be read, or holds too much
     */
    async importFolders(folders: string[], _seals?: Record<string, string>): Promise<ImportedFolder[]> {
      return cancellable(async (signal) => {
        const imported: ImportedFolder[] = [];
        for (const folder of folders) {
          const found = findFolder(configFolder, folder);
          if (found.kind === 'refused') throw invalid([`cwd: ${found.why}`]);
          if (found.kind === 'missing') imported.push({ tree: null, files: 0, bytes: 0, leftOut: [] });
          else imported.push(await taken(found.real, signal));
        }
        return imported;
      });
    },

    /** @param longestDiff absent: without a diff */
    async compareFiles(from: string | null, to: string | null, longestDiff?: number): Promise<ComparedTrees> {
      const [old, now] = [await trees.read(from), await trees.read(to)];
      const summary = compareTrees(old, now);
      if (longestDiff === undefined || summary.count === 0) return summary;
      return { ...summary, diff: await storedIfLong(store, await diffOf(store, old, now, longestDiff)) };
    },

    /** Where `ours` has changed too, `theirs` wins. */
    async mergeFiles(base: string | null, ours: string | null, theirs: string | null): Promise<MergedTree> {
      const merged = await mergeTrees(await trees.read(base), await trees.read(ours), await trees.read(theirs));
      const tree = await trees.write(merged.tree);
      return { tree, conflicts: firstOf(merged.conflicts) };
    },

    /**
     * Writes trees in place of what an earlier try, or an earlier run of the same id, has written.
     * @param part a folder in the run's own; empty for the whole of it
     * @param _seal is checked before (authorize.ts)
     * @returns the folder relative to the configuration folder
     * @throws `ApplicationFailure` of type `InvalidInput` if it leads out
     */
    async exportFiles(folder: string, part: string, exported: ExportedTree[], _seal?: string): Promise<string> {
      const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
      return cancellable(async () => {
        const place = join(folder, fileName(workflowId), part);
        const found = findFolder(configFolder, place);
        if (found.kind === 'refused') throw invalid([`orchestrator.snapshot_storage: ${found.why}`]);
        // The ids of agents are anything.
        const parts = exported.map(({ path, tree }) => ({ path: path.map(fileName).join('/'), tree }));
        await replaceFolder(store, trees, join(configFolder, place), parts);
        return place;
      });
    },
  };

  async function taken(folder: string, signal: AbortSignal): Promise<ImportedFolder> {
    try {
      const { leftOut, ...rest } = await importFolder(store, trees, folder, undefined, signal);
      return { ...rest, leftOut: firstOf(leftOut) };
    } catch (error) {
      signal.throwIfAborted();
      throw invalid([(error as Error).message]);
    }
  }
}

const firstOf = (texts: string[]): string[] =>
  texts.length <= named ? texts : [...texts.slice(0, named), `${texts.length - named} more`];
