import type { ImageRef, Text } from './message.ts';

/**
 * A file that comes with a problem, as whoever starts a run names it: a path on the worker's machine (a relative one
 * from its configuration folder), or its content. `name`: how agents call it; default: the last part of the path.
 */
export type AttachmentInput =
  | string
  | { path: string; name?: string | undefined }
  /** `data`: the content in base64. */
  | { name: string; data: string };

/** What can be read of a file. `table`: CSV, TSV and the like; `image`: by models that see. */
export type AttachmentKind = 'text' | 'table' | 'json' | 'pdf' | 'image';

/** An attachment as workflows know it: its content stays in the store, by hash. */
export interface Attachment {
  /** Unique in its run. */
  name: string;
  kind: AttachmentKind;
  mediaType: string;
  bytes: number;
  /**
   * For prompts, at most 1,000 characters: what stands at its beginning; of a table its columns, the number of its rows
   * and the first of them. Empty for images.
   */
  preview: Text;
  /** Why its content, or a part of it, cannot be read: a damaged PDF. Subtasks see it. */
  note?: string;
  /** An image by its blob, in base64. */
  image?: ImageRef;
}
