import { readStore } from '../../store/open-store.ts';
import { ToolError } from '../../tools/tool.ts';
import { Trees } from '../../tools/workspaces/tree.ts';
import { StoredWorkspace } from '../../tools/workspaces/workspace.ts';
import { readEnvironment } from '../../util/environment.ts';
import { HttpProblem } from '../problems.ts';
import type { Served } from '../served.ts';

/** The files of a run, read from the store. */
interface Files extends AsyncDisposable {
  workspace: StoredWorkspace;
  /** @throws `HttpProblem` where the run has no such file, and for a path that leads out */
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** The files that a run has come to, which `--out` writes. @throws `HttpProblem` where it has none, or another store has them */
export async function filesOf(served: Served, id: string): Promise<Files> {
  const { workspace: found } = await served.reprise.getRun(id).show();
  if (found === null) throw new HttpProblem(404, `The run ${id} has no files, or none yet`);
  const store = readStore(served.home, readEnvironment(process.env));
  const notHere = new HttpProblem(
    404,
    "The files are in the store of the run's worker, and not in that of this server",
  );
  if (store === undefined) throw notHere;
  const missing = found.tree === null ? [] : await store.missingObjects([found.tree]);
  if (missing.length > 0) {
    await store.close();
    throw notHere;
  }
  const workspace = await StoredWorkspace.open(store, new Trees(store), { mounts: [], tree: found.tree }, '');
  return {
    workspace,
    async read(path) {
      try {
        return Uint8Array.from(await workspace.read(path));
      } catch (error) {
        throw error instanceof ToolError ? new HttpProblem(404, error.message) : error;
      }
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}
