import { keepFile } from './run-files.ts';
import { plainName } from './names.ts';
import { maxFileBytes } from '../../util/file-limits.ts';
import { recognise, tooLarge } from './recognise.ts';
import type { RunFile, Store } from '../../store/store.ts';
import { ToolError } from '../tool.ts';

/**
 * Keeps a file for the tools of the workflow. It replaces one that a tool has kept under this name before.
 *
 * @param given its name, of which the last part counts
 * @throws `ToolError` for a name that is none, for content that is too large, and for the name of a file that came with the
 *   task
 */
export async function saveFile(store: Store, workflowId: string, given: string, bytes: Buffer): Promise<RunFile> {
  const name = plainName(given);
  if (name === undefined) throw new ToolError(`${given} is no name of a file`);
  if (bytes.length > maxFileBytes) throw new ToolError(`${name} ${tooLarge(bytes.length)}`);
  const found = await recognise(name, bytes);
  const kept = await keepFile(store, workflowId, { name, bytes, found, from: 'tool' });
  if (kept.from === 'attachment') {
    throw new ToolError(`${name} came with the task and stays as it is; save under another name`);
  }
  return kept;
}

/** Tells that a file is kept: `Saved as a.csv (table, 12 bytes)`. */
export function savedText({ name, kind, bytes, note }: RunFile): string {
  return `Saved as ${name} (${kind}, ${bytes} bytes)${note === undefined ? '' : `; ${note}`}`;
}
