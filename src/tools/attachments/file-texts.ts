import type { Store } from '../../store/store.ts';
import { maxFileBytes } from '../../util/file-limits.ts';
import { attachmentsFolder } from '../workspaces/workspace.ts';
import { archiveLimits, unpackArchive } from './archives/archive.ts';
import { readContent } from './content.ts';
import { recognise } from './recognise.ts';

/** A text of a file: the whole, or that of a file in an archive. */
export interface FileText {
  path: string;
  text: string;
}

/**
 * Makes a function that reads files which are no plain texts, such as PDFs and archives.
 *
 * @returns a function of a run, a path of a workspace and the content there; what it returns is empty if nothing can be read
 */
export function fileTexts(store: Store): (workflowId: string, path: string, bytes: Uint8Array) => Promise<FileText[]> {
  return async (workflowId, path, bytes) => {
    const isOfRun = path.startsWith(`${attachmentsFolder}/`);
    const file = isOfRun ? await store.file(workflowId, path.slice(attachmentsFolder.length + 1)) : undefined;
    if (file?.text !== undefined) return [{ path, text: await store.blob(file.text) }];
    return bytes.length > maxFileBytes ? [] : read(path, Buffer.from(bytes));
  };
}

/** @param left what may be taken of archives */
async function read(path: string, bytes: Buffer, left = { ...archiveLimits }): Promise<FileText[]> {
  const found = await recognise(path, bytes);
  if (found.kind !== 'archive') {
    const { text } = await readContent(path, bytes, found);
    return text === undefined ? [] : [{ path, text }];
  }
  const texts: FileText[] = [];
  await unpackArchive({ name: path, bytes, mediaType: found.mediaType }, left, async (member) => {
    texts.push(...(await read(`${path}/${member.path}`, member.bytes, left)));
  });
  return texts;
}
