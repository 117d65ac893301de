import type { Attachment } from '../protocol/attachment.ts';
import type { Text } from '../protocol/message.ts';
import { hashOf } from '../store/ids.ts';
import type { RunFile, Store } from '../store/store.ts';
import { readContent } from './content.ts';
import type { Loaded } from './load.ts';
import { previewOf } from './preview.ts';

/** Longer previews are stored, so that what comes after can name them. In characters. */
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
    hash: hashOf(bytes),
    ...(text !== undefined && { text: await store.putBlob(text) }),
    ...(found.kind === 'image' && { image: await store.putBlob(bytes.toString('base64')) }),
    ...(note !== undefined && { note }),
    from,
  });
}

/** A file as workflows know it. */
export async function attachmentOf(store: Store, file: RunFile): Promise<Attachment> {
  const { name, kind, mediaType, bytes, text, image, note } = file;
  const preview = text === undefined ? '' : previewOf(kind, await store.blob(text));
  return {
    name,
    kind,
    mediaType,
    bytes,
    preview: await stored(store, preview),
    ...(note !== undefined && { note }),
    ...(image !== undefined && { image: { blob: image, mediaType } }),
  };
}

async function stored(store: Store, preview: string): Promise<Text> {
  return preview.length <= storedFrom ? preview : { blob: await store.putBlob(preview) };
}
