import type { ImageRef, Text } from './message.ts';
import type { Backend } from './settings.ts';

/** The built-in package of the tools that read attachments and keep the files that agents save. */
export const fileTools = 'builtin.attachments';

/** The packages that agents get with attachments: to read them, and to calculate with what they hold. */
export const attachmentPackages = [fileTools, 'builtin.calculator'];

/**
 * A file that comes with a run, as the starter of a run names it: by its path on the worker's machine, relative to
 * the configuration folder, or by its content as base64 in `data`. Agents know the file by `name`, which is by default
 * the last part of the path.
 */
export type AttachmentInput = string | { path: string; name?: string | undefined } | { name: string; data: string };

/**
 * What a file is read as. A `table` is CSV, TSV and the like; a `workbook` has a table for each sheet, as a database has; an
 * `image` is only for models that take images; the files of an `archive` are files of the run; of `audio` a model has written
 * down what is said; of a `binary` nothing is read, but its bytes are there.
 */
export type AttachmentKind =
  | 'text'
  | 'table'
  | 'json'
  | 'pdf'
  | 'image'
  | 'workbook'
  | 'document'
  | 'archive'
  | 'audio'
  | 'binary';

/** An attachment as workflows know it. The content itself stays in the store. */
export interface Attachment {
  /** Unique in its run. */
  name: string;
  kind: AttachmentKind;
  mediaType: string;
  bytes: number;
  /**
   * The beginning of the content, at most 1,000 characters: of a table its columns, the number of its rows and the first
   * rows, of a workbook the same of its sheets, of an archive the paths of its files; empty for an image.
   */
  preview: Text;
  /** Why the content, or a part of it, cannot be read, such as a damaged PDF. Subtasks are told. */
  note?: string;
  image?: ImageRef;
}

export interface StoreAttachmentsInput {
  attachments: AttachmentInput[];
  /** That of the agents who work with the files; absent where it may not transcribe. */
  backend?: Backend;
  /** Of the attachments that are named by their paths; it is checked before (authorize.ts). */
  seal?: string;
}
