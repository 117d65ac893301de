import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '../tool.ts';

/**
 * The wheels of a folder that Pyodide can import from, sorted: pure Python, and those that were built for it
 * (https://peps.python.org/pep-0783/).
 *
 * @param folder undefined for none
 * @throws `ToolError` if it cannot be read
 */
export async function wheelsIn(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return [];
  try {
    const names = await readdir(folder);
    const fitting = names.filter((name) => /-(any|(pyodide|pyemscripten|emscripten)_\w+_wasm32)\.whl$/.test(name));
    return fitting.toSorted().map((name) => join(folder, name));
  } catch (error) {
    throw new ToolError(`REPRISE_WHEELS: ${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
