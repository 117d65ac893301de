import type { Attachment, AttachmentKind } from '../../protocol/attachment.ts';
import type { RunFile, Store } from '../../store/store.ts';
import { archiveLimits, unpackArchive } from './archives/archive.ts';
import type { Transcribe } from './audio.ts';
import { readContent } from './content.ts';
import type { Loaded } from './load.ts';
import { grouped, maxFileBytes } from '../../util/file-limits.ts';
import type { FileText } from '../workspaces/tools.ts';
import { noted, type Readable } from './readable.ts';
import { imageTypeOf } from '../../util/image-type.ts';
import { shownPicture } from '../pictures.ts';
import { plainName } from './names.ts';
import { recognise, tooLarge, type Recognised } from './recognise.ts';
import { summaryOf, workbookPreview } from './table.ts';
import { ToolError } from '../tool.ts';
import { attachmentsFolder } from '../workspaces/workspace.ts';
import type { ZipLimits } from './archives/zip.ts';
import { shortened } from '../../workflows/runtime/size.ts';

/** What may still be taken of an attached archive, and in how many archives a file is. */
interface Nesting {
  left: ZipLimits;
  depth: number;
}

interface NewFile extends Loaded, Pick<RunFile, 'name' | 'from'> {
  transcribe?: Transcribe | undefined;
}

/**
 * Reads a file and gives it to a workflow: its bytes as an object, its text as a blob. The files of an archive become files
 * of the workflow too, under names such as `papers.zip/first.pdf`, and so do those of an archive in it. They come before the
 * archive, so that all is there when the archive is.
 *
 * @returns what the workflow has under this name afterwards (see `Store.putFile`)
 */
export async function keepFile(
  store: Store,
  workflowId: string,
  file: NewFile,
  nesting: Nesting = { left: { ...archiveLimits }, depth: 0 },
): Promise<RunFile> {
  const { name, from, bytes, found } = file;
  const { image, note, text } = await readFile(store, workflowId, file, nesting);
  const [content = ''] = await store.putObjects([bytes]);
  return store.putFile(workflowId, {
    name,
    kind: found.kind,
    mediaType: found.mediaType,
    bytes: bytes.length,
    ...(text !== undefined && { text: await store.putBlob(text) }),
    ...(image !== undefined && { image: await store.putBlob(image.toString('base64')) }),
    ...(note !== undefined && { note }),
    content,
    from,
  });
}

async function readFile(
  store: Store,
  workflowId: string,
  file: NewFile,
  nesting: Nesting,
): Promise<Readable & { image?: Buffer }> {
  const { bytes, found, name, transcribe } = file;
  if (found.kind === 'archive') {
    const { depth, left } = nesting;
    if (depth >= 2) return { note: 'it was not unpacked: it is an archive in an archive in an archive' };
    return unpackArchive({ name, bytes, mediaType: found.mediaType }, left, async ({ path, bytes: content }) => {
      const member = { ...file, name: `${name}/${path}`, bytes: content, found: await recognise(path, content) };
      await keepFile(store, workflowId, member, { depth: depth + 1, left });
    });
  }
  if (found.kind !== 'image') return readContent(name, bytes, found, transcribe);
  const { note, pages } = await shownPicture(bytes, found.mediaType);
  const [image, ...others] = pages;
  for (const [index, page] of others.entries()) {
    const shown: Recognised = { kind: 'image', mediaType: imageTypeOf(page) ?? found.mediaType };
    const other = { ...file, name: `${name}/page-${index + 2}.png`, bytes: page, found: shown };
    await keepFile(store, workflowId, other, nesting);
  }
  const rest = `its other pages are ${name}/page-2.png and so on, up to page ${pages.length}`;
  return { ...(image !== undefined && { image }), ...noted([others.length > 0 && rest, note]) };
}

/** The files that were in an archive of a workflow, in their order, or the other pages of a picture. */
export async function membersOf(store: Store, workflowId: string, { name }: RunFile): Promise<RunFile[]> {
  return (await store.files(workflowId)).filter((file) => file.name.startsWith(`${name}/`));
}

export async function attachmentOf(store: Store, file: RunFile): Promise<Attachment> {
  const { name, kind, mediaType, bytes, text, image, note } = file;
  const preview = text === undefined ? '' : await previewOf(kind, await store.blob(text));
  return {
    name,
    kind,
    mediaType,
    bytes,
    // Longer ones are stored, and messages then name their blob.
    preview: preview.length <= 400 ? preview : { blob: await store.putBlob(preview) },
    ...(note !== undefined && { note }),
    ...(image !== undefined && { image: { blob: image, mediaType: await imageType(store, image) } }),
  };
}

/** What models are shown may be of another type than the file. */
async function imageType(store: Store, image: string): Promise<string> {
  const head = Buffer.from((await store.blob(image)).slice(0, 100), 'base64');
  return imageTypeOf(head) ?? 'image/png';
}

/** What a prompt shows of a file: its beginning, or a table's columns, number of rows and first rows. */
export async function previewOf(kind: AttachmentKind, text: string): Promise<string> {
  if (kind === 'table') return shortened(await tablePreview(text), 999);
  return shortened(kind === 'workbook' ? workbookPreview(text) : text.trim(), 999);
}

async function tablePreview(text: string): Promise<string> {
  const { columns, first, rows } = await summaryOf(text);
  const lines = first.map((row) => row.join(' | '));
  const count = `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}`;
  return [
    `Columns: ${shortened(columns.join(', '), 500)}`,
    rows > lines.length ? `${count}; the first ${lines.length}:` : `${count}:`,
    ...lines,
  ].join('\n');
}

/**
 * Keeps a file for the tools of the workflow, under the last part of a name. It replaces one that a tool has kept before.
 * @throws `ToolError` for no name, too large a content, and the name of a file that came with the task
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

export function savedText({ name, kind, bytes, note }: RunFile): string {
  return `Saved as ${name} (${kind}, ${bytes} bytes)${note === undefined ? '' : `; ${note}`}`;
}

/** Reads files of workspaces which are no plain texts, such as PDFs and archives. What cannot be read has no texts. */
export function fileTexts(store: Store): (workflowId: string, path: string, bytes: Uint8Array) => Promise<FileText[]> {
  return async (workflowId, path, bytes) => {
    const isOfRun = path.startsWith(`${attachmentsFolder}/`);
    const file = isOfRun ? await store.file(workflowId, path.slice(attachmentsFolder.length + 1)) : undefined;
    if (file?.text !== undefined) return [{ path, text: await store.blob(file.text), ...noted([file.note]) }];
    return bytes.length > maxFileBytes ? [] : textsIn(path, Buffer.from(bytes));
  };
}

async function textsIn(path: string, bytes: Buffer, left = { ...archiveLimits }): Promise<FileText[]> {
  const found = await recognise(path, bytes);
  const texts: FileText[] = [];
  if (found.kind === 'archive') {
    const { note } = await unpackArchive({ name: path, bytes, mediaType: found.mediaType }, left, async (member) => {
      texts.push(...(await textsIn(`${path}/${member.path}`, member.bytes, left)));
    });
    if (note !== undefined && texts.length > 0) texts.push({ path, text: '', note });
  } else {
    const { note, text } = await readContent(path, bytes, found);
    if (text !== undefined) texts.push({ path, text, ...noted([note]) });
  }
  return texts;
}
