import type { Attachment, AttachmentKind } from '../protocol/attachment.ts';
import { largeHashOf } from '../store/ids.ts';
import type { RunFile, Store } from '../store/store.ts';
import { readContent } from './content.ts';
import type { Loaded } from './load.ts';
import { grouped } from './limits.ts';
import { summaryOf } from './table-summary.ts';

/** Longer previews are stored, and messages then name their blob. In characters. */
const storedFrom = 400;

/**
 * Reads a file and gives it to a workflow, its content as blobs.
 *
 * @returns what the workflow has under this name afterwards (see `Store.putFile`)
 */
export async function keepFile(
  store: Store,
  workflowId: string,
  file: Loaded & Pick<RunFile, 'name' | 'from'>,
): Promise<RunFile> {
  const { name, from, bytes, found } = file;
  const { text, note } = await readContent(name, bytes, found);
  return store.putFile(workflowId, {
    name,
    kind: found.kind,
    mediaType: found.mediaType,
    bytes: bytes.length,
    hash: await largeHashOf(bytes),
    ...(text !== undefined && { text: await store.putBlob(text) }),
    ...(found.kind === 'image' && { image: await store.putBlob(bytes.toString('base64')) }),
    ...(note !== undefined && { note }),
    from,
  });
}

/** A stored file as workflows know it. */
export async function attachmentOf(store: Store, file: RunFile): Promise<Attachment> {
  const { name, kind, mediaType, bytes, text, image, note } = file;
  const preview = text === undefined ? '' : await previewOf(kind, await store.blob(text));
  return {
    name,
    kind,
    mediaType,
    bytes,
    preview: preview.length <= storedFrom ? preview : { blob: await store.putBlob(preview) },
    ...(note !== undefined && { note }),
    ...(image !== undefined && { image: { blob: image, mediaType } }),
  };
}

/** The greatest lengths of a preview and of its columns in characters. */
const longest = 1000;
const columnsShown = 500;

/** What a prompt shows of a file: its beginning, or a table's columns, number of rows and first rows. */
export async function previewOf(kind: AttachmentKind, text: string): Promise<string> {
  return cut(kind === 'table' ? await tablePreview(text) : text.trim(), longest);
}

async function tablePreview(text: string): Promise<string> {
  const { columns, first, rows } = await summaryOf(text);
  const lines = first.map((row) => row.join(' | '));
  const count = `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}`;
  return [
    `Columns: ${cut(columns.join(', '), columnsShown)}`,
    rows > lines.length ? `${count}; the first ${lines.length}:` : `${count}:`,
    ...lines,
  ].join('\n');
}

/** Cuts a text, but never within a character of two code units. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
