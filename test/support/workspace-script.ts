import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { Trees } from '../../src/tools/workspaces/tree.ts';

/** The texts of a tree's files by their paths. @param home the home of the store */
export async function textsIn(home: string, tree: string | null): Promise<Record<string, string>> {
  const store = openSqliteStore(join(home, 'store.sqlite'));
  try {
    const files = await new Trees(store).read(tree);
    const texts: Record<string, string> = {};
    for (const [path, { id }] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1)))
      texts[path] = new TextDecoder().decode(await store.object(id));
    return texts;
  } finally {
    await store.close();
  }
}

/** Writes files into a folder by their paths in it. */
export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
